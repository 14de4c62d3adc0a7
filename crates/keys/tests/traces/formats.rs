//! Every format, and what is wrong in each.

use hitm_keys::trace::{Format, Options, Ranges};

use super::{read, refused};

fn as_format(format: Format) -> Options {
    Options { format: Some(format), ..Options::default() }
}

#[test]
fn keys_one_a_line() {
    let text = b"\xef\xbb\xbf# keys\r\n5\r\n\r\n 7 \n18446744073709551615\n+3\n0";
    let list = read(text, &Options::default());
    assert_eq!((list.keys(), list.format), (vec![5, 7, u64::MAX, 3, 0], "keys"));
    assert!(list.bad.is_empty() && list.accesses.iter().all(|access| access.thread.is_none()));
    assert_eq!(list.counts.lines, 7);
}

#[test]
fn bad_lines_have_their_numbers_and_the_rest_is_read() {
    let list = read(b"1\n-5\n99999999999999999999\n2\nabc\n5.5\n3 4\n6\n", &Options::default());
    assert_eq!(list.keys(), [1, 2, 6]);
    let lines: Vec<u64> = list.bad.iter().map(|bad| bad.0).collect();
    assert_eq!(lines, [2, 3, 5, 6, 7]);
    for (bad, told) in list.bad.iter().zip(["-5` is negative", "64 bits", "abc", "5.5", "3 4"]) {
        assert!(bad.1.contains(told), "{bad:?}");
    }
    assert!(list.end.is_none());
}

#[test]
fn statements_over_several_lines_and_restarted_servers() {
    let log = "/usr/sbin/mysqld, Version: 8.0.36 (MySQL). started with:\nTcp port: 3306  Unix socket: /run/mysqld.sock\n\
        Time                 Id Command    Argument\n\
        2024-05-01T10:00:00.123456Z\t   10 Query\tSELECT *\n  FROM t\n\n  WHERE id = 5\n\
        2024-05-01T10:00:01.123456Z\t   11 Execute\tDELETE FROM t WHERE id IN (6, -7)\n\
        2024-05-01T10:00:01.123456Z\t   11 Prepare\tDELETE FROM t WHERE id=99\n\
        /usr/sbin/mysqld, Version: 8.0.36 (MySQL). started with:\nTcp port: 3306  Unix socket: /run/mysqld.sock\n\
        Time                 Id Command    Argument\n\
        2024-05-01T10:00:02.123456Z\t   12 Query\tUPDATE t SET a=1";
    for text in [log.to_owned(), log.replace('\n', "\r\n")] {
        let log = read(text.as_bytes(), &Options::default());
        let threads: Vec<_> = log.accesses.iter().map(|access| (access.key, access.thread)).collect();
        assert_eq!(threads, [(5, Some(10)), (6, Some(11))]);
        assert_eq!(log.bad.len(), 1);
        assert_eq!(log.bad[0].0, 8);
        assert!(log.bad[0].1.contains("-7"), "{:?}", log.bad);
        assert_eq!((log.counts.statements, log.counts.without_key), (3, 1));
    }
}

/// A log from whose middle one begins to read.
#[test]
fn lines_of_no_statement_are_told() {
    let log = read(b"WHERE id=1\n\t\t  5 Query\tselect 1 from t where id=2\n", &as_format(Format::GeneralLog));
    assert_eq!((log.keys(), log.bad.len(), log.bad[0].0), (vec![2], 1, 1));
    let log = read(
        b"x\tnone\tQuery\tselect 1\n2026\t5\tQuery\tselect\\n1 from t where id=2\n",
        &as_format(Format::GeneralLogTable),
    );
    assert_eq!((log.keys(), log.bad.len(), log.bad[0].0), (vec![2], 1, 1));
}

#[test]
fn columns_of_tables() {
    let text = "time,who,\"the key\"\n1,8,5\n2,9,\"6\"\n3,8,-1\n4,8\n5,x,9\n6,\"8\n\",7\n";
    let by = |column: &str, thread: Option<&str>| Options {
        column: Some(column.to_owned()),
        thread_column: thread.map(str::to_owned),
        ..Options::default()
    };
    for (options, separator) in
        [(by("The Key", Some("who")), ','), (by("3", Some("2")), ';'), (by("the key", Some("WHO")), '\t')]
    {
        let table = read(text.replace(',', &separator.to_string()).replace('\n', "\r\n").as_bytes(), &options);
        assert_eq!(table.format, "csv");
        let found: Vec<_> = table.accesses.iter().map(|access| (access.key, access.thread)).collect();
        assert_eq!(found, [(5, Some(8)), (6, Some(9)), (7, Some(8))]);
        assert_eq!(table.bad.iter().map(|bad| bad.0).collect::<Vec<_>>(), [4, 5, 6], "{:?}", table.bad);
        assert!(table.bad[0].1.contains("negative") && table.bad[1].1.contains("2 columns"));
    }
    let told = refused(text.as_bytes(), &by("key", Some("whom")));
    assert!(told.contains("column: there is no column `key`") && told.contains("time, who, the key"), "{told}");
    assert!(told.contains("thread-column"), "{told}");
    assert!(refused(text.as_bytes(), &as_format(Format::Csv)).contains("which column"));
    assert!(refused(text.as_bytes(), &Options::default()).contains("--column"));
}

/// Columns of a table by name or number.
fn of_columns(key: &str, thread: Option<&str>) -> Options {
    Options { column: Some(key.to_owned()), thread_column: thread.map(str::to_owned), ..as_format(Format::Csv) }
}

#[test]
fn a_table_without_names_keeps_its_first_row() {
    for text in ["7,1\n8,2\n", "7,1\r\n8,2", "\"7\",1\n8,2\n"] {
        assert_eq!(read(text.as_bytes(), &of_columns("1", None)).keys(), [7, 8], "{text:?}");
        let threads = read(text.as_bytes(), &of_columns("1", Some("2")));
        assert_eq!(threads.accesses.iter().map(|access| access.thread).collect::<Vec<_>>(), [Some(1), Some(2)]);
    }
    assert_eq!(read(b"2024-05-01 10:00,17,-0.5\n2024-05-01 10:01,18,\n", &of_columns("2", None)).keys(), [17, 18]);
    assert_eq!(read(b"5\n6\n", &of_columns("1", None)).keys(), [5, 6]);
    assert_eq!(read(b"key\n5\n6\n", &of_columns("1", None)).keys(), [5, 6]);
    // Counted, a first line of numbers is a row, whatever it would be as names; named, it is names.
    assert_eq!(read(b"2,1\n30,40\n", &of_columns("1", None)).keys(), [2, 30]);
    assert_eq!(read(b"2010,2011\n30,40\n", &of_columns("2011", None)).keys(), [40]);
    let bad = read(b"7,x\n8,2\n", &of_columns("2", None));
    assert_eq!((bad.keys(), bad.bad.len()), (vec![2], 0), "a word above numbers is a name");
    let told = refused(b"host,7\nhost,8\n", &of_columns("2", None));
    assert!(told.contains("may be names or a row") && told.contains("a line above it"), "{told}");
}

#[test]
fn a_column_that_may_be_another_is_refused() {
    let told = refused(b"who,1\n5,6\n", &of_columns("1", None));
    assert!(told.contains("the name of column 2 or the number of another"), "{told}");
    assert_eq!(read(b"1,who\n5,6\n", &of_columns("who", Some("1"))).keys(), [6]);
    let twice = b"key,who,Key,who\n5,6,7,8\n";
    let told = refused(twice, &of_columns("key", Some("who")));
    assert!(told.contains("2 columns have the name `key`") && told.contains("1 or 3"), "{told}");
    assert!(told.contains("thread-column") && told.contains("2 or 4"), "{told}");
    assert_eq!(read(twice, &of_columns("3", Some("2"))).keys(), [7]);
}

/// One row is bad, and none of those behind it is lost.
#[test]
fn a_quote_that_is_not_closed_is_one_bad_row() {
    let rows: String = (2..5000).map(|key| format!("{key},x\n")).collect();
    let table = read(format!("key,text\n0,\"a\nb\"\n1,\"oops\n{rows}").as_bytes(), &of_columns("key", None));
    assert_eq!((table.accesses.len(), table.bad.len(), table.bad[0].0), (4999, 1, 4), "{:?}", table.bad);
    assert!(table.bad[0].1.contains("a quote is not closed"), "{:?}", table.bad);
    assert_eq!(table.counts.lines, 5002);
    assert!(refused(b"\"key,text\n5,6\n", &of_columns("key", None)).contains("a quote is not closed"));
}

#[test]
fn a_row_that_is_too_long_is_a_bad_one() {
    let text = format!("key,text\n{},x\n6,y\n", "1".repeat(17 << 20));
    let table = read(text.as_bytes(), &of_columns("key", None));
    assert_eq!((table.keys(), table.bad[0].0), (vec![6], 2));
    assert!(table.bad[0].1.contains("longer than 16777216 bytes"), "{:?}", table.bad);
}

#[test]
fn block_traces() {
    let all = Options { ranges: Ranges::All, ..Options::default() };
    let text = "128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,hm,0,Write,4096,1,411\nx\n";
    let msr = read(text.as_bytes(), &Options::default());
    let found: Vec<_> = msr.accesses.iter().map(|access| (access.key, access.thread)).collect();
    assert_eq!((found, msr.format), (vec![(93_627, Some(1)), (1, Some(0))], "msr"));
    assert_eq!(msr.bad[0].0, 3);
    assert_eq!(read(text.as_bytes(), &all).accesses.len(), 8 + 1);
    let big = Options { block_bytes: Some(1 << 20), ..Options::default() };
    assert_eq!(read(text.as_bytes(), &big).keys(), [365, 0]);

    let spc = read(b"0,20941264,8192,W,0.551706\n1,8,4096,r,0.6\n0,-8,1,r,1\n", &Options::default());
    assert_eq!((spc.keys(), spc.format, spc.bad.len()), (vec![2_617_658, 1], "spc", 1));

    let blk = "  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n\
        \x20 8,0    3        2     0.000001829   697  P   R [kjournald]\n\
        \x20 8,0    3        3     0.000002197   697  Q   W 223490 + 8 [kjournald]\n\
        \x20 8,0    3        4     0.000012197   698  Q   R 16 + 16 [dd]\n\
        \x20 8,0    3        5     0.000022197   698  C   R 16 + 16 [0]\n\
        CPU3 (8,0):\n Reads Queued:           0,        0KiB\n";
    let blkparse = read(blk.as_bytes(), &Options::default());
    let found: Vec<_> = blkparse.accesses.iter().map(|access| (access.key, access.thread)).collect();
    assert_eq!((found, blkparse.format), (vec![(27_936, Some(697)), (2, Some(698))], "blkparse"));
    assert!(blkparse.bad.is_empty(), "{:?}", blkparse.bad);
    assert_eq!(read(blk.as_bytes(), &all).keys(), [27_936, 27_937, 2, 3]);

    for (text, name) in [
        ("fio version 2 iolog\n/a add\n/a open\n/a read 8192 4096\n/b write 0 8192\n/a wait 5 0\n/a close\n", "2"),
        ("fio version 3 iolog\n0 /a add\n1 /a open\n2 /a read 8192 4096\n3 /b write 0 8192\n9 /a close\n", "3"),
    ] {
        let fio = read(text.as_bytes(), &Options::default());
        let found: Vec<_> = fio.accesses.iter().map(|access| (access.key, access.thread)).collect();
        assert_eq!((found, fio.format), (vec![(2, Some(0)), (0, Some(1))], "fio"), "{name}");
        assert!(fio.bad.is_empty(), "{:?}", fio.bad);
    }
    let over = read(b"1,hm,1,Read,18446744073709551615,2,3\n", &Options::default());
    assert!(over.bad[0].1.contains("64 bits"), "{:?}", over.bad);
    let none = Options { block_bytes: Some(0), ..Options::default() };
    assert!(refused(b"5\n", &none).contains("block-bytes"));
}

#[test]
fn what_is_no_trace_is_refused_with_a_cure() {
    for (text, told) in [
        (&b""[..], "empty"),
        (b"\xef\xbb\xbf\r\n \n", "empty"),
        (b"hello world\n", "--format"),
        (b"\xff\xfe1\0\n\0", "UTF-16"),
        (b"hitmkeys1234", "no import"),
        (b"\0\0\0\0", "--format"),
    ] {
        let refused = refused(text, &Options::default());
        assert!(refused.contains(told), "{refused}");
    }
    assert!(refused(b" \n", &as_format(Format::Keys)).contains("empty"));
    assert!(Format::find("auto").unwrap().is_none());
    for format in Format::ALL {
        assert_eq!(Format::find(format.name()).unwrap(), Some(format));
        // No format panics at any text.
        for text in
            [&b"\0\xff\n,,,,,,\n\t\t\t\t\t\t\n\"\n"[..], b"8,0 1 2 3 4 Q\n", b",\n", b"fio version 9 iolog\n", b"'"]
        {
            let options = Options { column: Some("1".to_owned()), ..as_format(format) };
            read(text, &options);
        }
    }
    assert!(Format::find("pcap").unwrap_err().cure.contains("blkparse"));
}

/// What `hitm keys sql` prints, and other programs.
#[test]
fn statements_one_a_line() {
    let list =
        read(b"BEGIN\nSELECT c FROM t WHERE id=5\nUPDATE t SET k=7 WHERE id=6;\n\nCOMMIT\n", &Options::default());
    assert_eq!((list.keys(), list.format), (vec![5, 6], "statements"));
    assert!(list.bad.is_empty() && list.accesses.iter().all(|access| access.thread.is_none()));
    assert_eq!((list.counts.statements, list.counts.without_key), (2, 0));
}

#[test]
fn threads_may_have_names() {
    let options = Options { column: Some("k".into()), thread_column: Some("worker".into()), ..Options::default() };
    let table = read(b"k,worker\n5,A\n6,B\n7,A\n8,\n", &options);
    let threads: Vec<_> = table.accesses.iter().map(|access| (access.key, access.thread)).collect();
    assert_eq!(threads, [(5, Some(1)), (6, Some(2)), (7, Some(1))]);
    assert_eq!(table.counts.thread_names, ["A", "B"]);
    assert_eq!(table.bad.len(), 1);
    // A column of numbers stays one.
    let table = read(b"k,worker\n5,40\n6,B\n", &options);
    assert_eq!((table.accesses[0].thread, table.bad.len()), (Some(40), 1));
}

#[test]
fn a_table_may_have_one_column() {
    for asked in ["k", "1"] {
        let options = Options { column: Some(asked.into()), ..Options::default() };
        let table = read(b"k\n5\n6\n", &options);
        assert_eq!((table.keys(), table.format), (vec![5, 6], "csv"), "{asked}");
    }
}
