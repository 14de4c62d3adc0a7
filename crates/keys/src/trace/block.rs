//! Block traces. A key is a block: the offset divided by the size of a block; a request of several gives the first or all of them.
//!
//! - `msr`: SNIA IOTTA trace set 388 (MSR Cambridge), seven fields with commas, offset and size in bytes; the thread is the disk.
//! - `spc`: the SPC trace file format, revision 1.0.1: ASU, LBA, size, opcode, time; LBAs are 512 bytes; the thread is the ASU.
//! - `blkparse`: `device cpu sequence time pid action rwbs sector + sectors [process]`; requests with action `Q` (queued), so that each
//!   counts once; the thread is the pid; the summary at the end is passed over.
//! - `fio`: version 2 (`file action offset length`) and 3 (with the time before them); the thread is the file, in order of
//!   appearance; `add`, `open`, `close`, `wait` and the like are passed over.

use super::Format;
use super::fault::{key, shown};
use super::reader::{Out, Parser};
use super::{Ranges, push_range};

/// What LBAs and sectors count.
const SECTOR: u64 = 512;

/// The most files whose names are kept apart.
const MOST_FILES: usize = 1 << 16;

pub(super) struct Blocks {
    format: Format,
    ranges: Ranges,
    block_bytes: u64,
    files: Vec<Vec<u8>>,
    /// Whether fio's lines begin with a time; `None` before the first line.
    timed: Option<bool>,
    /// Whether blkparse's summary has begun.
    summary: bool,
    keys: Vec<u64>,
}

struct Request {
    offset: u64,
    bytes: u64,
    thread: Option<u64>,
}

impl Blocks {
    pub(super) fn new(format: Format, ranges: Ranges, block_bytes: u64) -> Self {
        Blocks { format, ranges, block_bytes, files: Vec::new(), timed: None, summary: false, keys: Vec::new() }
    }

    /// What a line asks for; `None` of one that asks for nothing.
    fn request(&mut self, line: &[u8], number: u64) -> Result<Option<Request>, String> {
        match self.format {
            Format::Msr => msr(line, number),
            Format::Spc => spc(line),
            Format::Blkparse => self.blkparse(line),
            _ => self.fio(line),
        }
    }

    fn blkparse(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        self.summary |= line.starts_with(b"CPU") && line.ends_with(b":");
        if self.summary {
            return Ok(None);
        }
        let words = words(line);
        let [device, _, _, _, pid, action, ..] = words[..] else { return Err(not("six fields or more", line)) };
        if !device.contains(&b',') {
            return Err(not("a device such as 8,0 at its beginning", line));
        }
        let [sector, b"+", sectors] = (match words.get(7..10) {
            Some(rest) => [rest[0], rest[1], rest[2]],
            None => return Ok(None),
        }) else {
            return Ok(None);
        };
        if action != b"Q" {
            return Ok(None);
        }
        let [offset, bytes] = [bytes_of(key(sector)?)?, bytes_of(key(sectors)?)?];
        Ok(Some(Request { offset, bytes, thread: Some(key(pid)?) }))
    }

    fn fio(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        let mut words = words(line);
        let Some(timed) = self.timed else {
            self.timed = Some(match words[..] {
                [b"fio", b"version", b"2", b"iolog"] => false,
                [b"fio", b"version", b"3", b"iolog"] => true,
                _ => return Err(not("`fio version 2 iolog` or 3 at the beginning", line)),
            });
            return Ok(None);
        };
        if timed && !words.is_empty() {
            words.remove(0);
        }
        match words[..] {
            [file, b"read" | b"write" | b"trim", offset, length] => {
                let thread = match self.files.iter().position(|known| known == file) {
                    Some(index) => index,
                    None if self.files.len() == MOST_FILES => return Err(format!("more than {MOST_FILES} files")),
                    None => {
                        self.files.push(file.to_vec());
                        self.files.len() - 1
                    }
                };
                Ok(Some(Request { offset: key(offset)?, bytes: key(length)?, thread: Some(thread as u64) }))
            }
            [_, b"add" | b"open" | b"close" | b"wait" | b"sync" | b"datasync", ..] | [] => Ok(None),
            _ => Err(not("`file read|write|trim offset length`", line)),
        }
    }
}

fn bytes_of(sectors: u64) -> Result<u64, String> {
    sectors.checked_mul(SECTOR).ok_or_else(|| format!("sector {sectors} is beyond 64 bits of bytes"))
}

fn not(what: &str, line: &[u8]) -> String {
    format!("it has not {what}: `{}`", shown(line))
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

fn fields(line: &[u8]) -> Vec<&[u8]> {
    line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect()
}

fn msr(line: &[u8], number: u64) -> Result<Option<Request>, String> {
    match fields(line)[..] {
        [_, _, _, kind, ..] if number == 1 && kind.eq_ignore_ascii_case(b"type") => Ok(None),
        [_, _, disk, kind, offset, size, _]
            if kind.eq_ignore_ascii_case(b"read") || kind.eq_ignore_ascii_case(b"write") =>
        {
            Ok(Some(Request { offset: key(offset)?, bytes: key(size)?, thread: Some(key(disk)?) }))
        }
        _ => Err(not("seven fields with Read or Write in the fourth", line)),
    }
}

fn spc(line: &[u8]) -> Result<Option<Request>, String> {
    match fields(line)[..] {
        [unit, lba, size, b"r" | b"R" | b"w" | b"W", _, ..] => {
            Ok(Some(Request { offset: bytes_of(key(lba)?)?, bytes: key(size)?, thread: Some(key(unit)?) }))
        }
        _ => Err(not("five fields with r or w in the fourth", line)),
    }
}

impl Parser for Blocks {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let request = match self.request(line, number) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(why) => return out.bad(number, why),
        };
        let first = request.offset / self.block_bytes;
        let Some(last) = request.offset.checked_add(request.bytes.max(1) - 1) else {
            return out.bad(number, format!("{} bytes from {} are beyond 64 bits", request.bytes, request.offset));
        };
        self.keys.clear();
        match push_range(&mut self.keys, self.ranges, first, last / self.block_bytes) {
            Ok(()) => self.keys.iter().for_each(|&key| out.access(key, request.thread)),
            Err(why) => out.bad(number, why),
        }
    }

    fn end(&mut self, _: &mut Out) {}
}
