#include "shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wiredtiger.h>

// Sizes as in wtperf's small-btree: keys of 20 bytes and values of 100, the zero at their ends among them.
enum { KEY_BYTES = 20, VALUE_BYTES = 100, DIGITS = KEY_BYTES - 1 };

#define TABLE "table:rows"
#define TABLE_CONFIG "type=file,key_format=S,value_format=S"

struct hitm_wiredtiger {
    WT_CONNECTION *connection;
};

struct hitm_wiredtiger_reader {
    WT_SESSION *session;
    WT_CURSOR *cursor;
};

static void tell(const char *doing, int error, char *why, size_t room) {
    if (room > 0) {
        snprintf(why, room, "%s: %s", doing, wiredtiger_strerror(error));
    }
}

// The row's number in decimal digits, filled up with zeros.
static void write_digits(char *text, uint64_t row) {
    for (int place = DIGITS; place-- > 0;) {
        text[place] = (char)('0' + row % 10);
        row /= 10;
    }
}

static uint64_t read_digits(const char *text) {
    uint64_t row = 0;
    for (int place = 0; place < DIGITS && text[place] >= '0' && text[place] <= '9'; place++) {
        row = row * 10 + (uint64_t)(text[place] - '0');
    }
    return row;
}

// Messages go nowhere: what fails is told by who called.
static int no_message(WT_EVENT_HANDLER *handler, WT_SESSION *session, const char *message) {
    (void)handler;
    (void)session;
    (void)message;
    return 0;
}

static int no_error(WT_EVENT_HANDLER *handler, WT_SESSION *session, int error, const char *message) {
    (void)error;
    return no_message(handler, session, message);
}

static WT_EVENT_HANDLER silent = {no_error, no_message, NULL, NULL};

static int load(WT_SESSION *session, uint64_t rows) {
    char key[KEY_BYTES] = {0}, value[VALUE_BYTES];
    WT_CURSOR *cursor;
    int error = session->create(session, TABLE, TABLE_CONFIG);
    if (error == 0) {
        error = session->open_cursor(session, TABLE, NULL, "bulk", &cursor);
    }
    if (error != 0) {
        return error;
    }
    memset(value, 'a', sizeof value);
    value[VALUE_BYTES - 1] = 0;
    for (uint64_t row = 1; row <= rows && error == 0; row++) {
        write_digits(key, row);
        write_digits(value, row);
        cursor->set_key(cursor, key);
        cursor->set_value(cursor, value);
        error = cursor->insert(cursor);
    }
    int closed = cursor->close(cursor);
    return error != 0 ? error : closed;
}

static int read_all(WT_SESSION *session, uint64_t rows) {
    WT_CURSOR *cursor;
    uint64_t read = 0;
    int error = session->open_cursor(session, TABLE, NULL, NULL, &cursor);
    if (error != 0) {
        return error;
    }
    while ((error = cursor->next(cursor)) == 0) {
        read++;
    }
    if (error == WT_NOTFOUND) {
        error = read == rows ? 0 : WT_NOTFOUND;
    }
    int closed = cursor->close(cursor);
    return error != 0 ? error : closed;
}

hitm_wiredtiger *hitm_wiredtiger_open(const char *folder, uint64_t rows, uint32_t cache_mib, uint32_t sessions, char *why, size_t room) {
    char config[128];
    hitm_wiredtiger *database = calloc(1, sizeof *database);
    if (database == NULL) {
        tell("opening", ENOMEM, why, room);
        return NULL;
    }
    snprintf(config, sizeof config, "create,exclusive,cache_size=%uMB,session_max=%u", cache_mib, sessions);
    const char *doing = "opening";
    int error = wiredtiger_open(folder, &silent, config, &database->connection);
    if (error == 0) {
        WT_SESSION *session;
        doing = "loading";
        error = database->connection->open_session(database->connection, NULL, NULL, &session);
        if (error == 0) {
            error = load(session, rows);
            if (error == 0) {
                doing = "reading what was loaded";
                error = read_all(session, rows);
            }
            int closed = session->close(session, NULL);
            error = error != 0 ? error : closed;
        }
        if (error != 0) {
            database->connection->close(database->connection, NULL);
        }
    }
    if (error != 0) {
        tell(doing, error, why, room);
        free(database);
        return NULL;
    }
    return database;
}

void hitm_wiredtiger_close(hitm_wiredtiger *database) {
    database->connection->close(database->connection, NULL);
    free(database);
}

hitm_wiredtiger_reader *hitm_wiredtiger_open_reader(hitm_wiredtiger *database, char *why, size_t room) {
    hitm_wiredtiger_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        tell("opening a session", ENOMEM, why, room);
        return NULL;
    }
    int error = database->connection->open_session(database->connection, NULL, NULL, &reader->session);
    if (error == 0) {
        error = reader->session->open_cursor(reader->session, TABLE, NULL, NULL, &reader->cursor);
        if (error != 0) {
            reader->session->close(reader->session, NULL);
        }
    }
    if (error != 0) {
        tell("opening a session", error, why, room);
        free(reader);
        return NULL;
    }
    return reader;
}

void hitm_wiredtiger_close_reader(hitm_wiredtiger_reader *reader) {
    reader->session->close(reader->session, NULL);
    free(reader);
}

int hitm_wiredtiger_read(hitm_wiredtiger_reader *reader, uint64_t row, uint64_t *value, char *why, size_t room) {
    char key[KEY_BYTES];
    const char *found;
    WT_CURSOR *cursor = reader->cursor;
    write_digits(key, row);
    key[DIGITS] = 0;
    cursor->set_key(cursor, key);
    int error = cursor->search(cursor);
    if (error == 0) {
        error = cursor->get_value(cursor, &found);
    }
    if (error == 0) {
        *value = read_digits(found);
        // Lets the page go, as an application does when it is done with a row.
        error = cursor->reset(cursor);
    }
    if (error != 0) {
        tell("searching", error, why, room);
    }
    return error;
}
