//! Packed files, told by their first bytes, not by their names.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
}

impl Packing {
    /// Its name; empty for none.
    pub fn name(self) -> &'static str {
        match self {
            Packing::None => "",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// Tells it from a file's first bytes (RFC 1952 2.3.1, RFC 8878 3.1.1 and 3.1.2).
    fn of(bytes: &[u8]) -> Packing {
        match bytes {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            _ => Packing::None,
        }
    }
}

/// Bytes of text that are unpacked at once.
pub(super) const BUFFER: usize = 1 << 18;

/// The text of a file that may be packed.
pub(super) struct Unpacked {
    pub(super) text: Box<dyn BufRead>,
    pub(super) ending: Ending,
}

/// What tells how a packed file ended.
pub(super) struct Ending {
    pub(super) packing: Packing,
    /// Whether the packed file came to its end.
    ended: Rc<Cell<bool>>,
}

impl Unpacked {
    pub(super) fn new(file: impl Read + 'static) -> io::Result<Self> {
        let ended = Rc::new(Cell::new(false));
        let mut file = BufReader::with_capacity(BUFFER, Ended { file, ended: Rc::clone(&ended) });
        let packing = Packing::of(file.fill_buf()?);
        let text: Box<dyn BufRead> = match packing {
            Packing::None => Box::new(file),
            Packing::Gzip => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file))),
            Packing::Zstd => {
                let frames = Frames { file, decoder: FrameDecoder::new(), within: false };
                Box::new(BufReader::with_capacity(BUFFER, frames))
            }
        };
        Ok(Unpacked { text, ending: Ending { packing, ended } })
    }
}

impl Ending {
    /// Whether an error of reading means that packed data is cut off.
    pub(super) fn is_cut(&self, error: &io::Error) -> bool {
        self.packing != Packing::None && (error.kind() == io::ErrorKind::UnexpectedEof || self.ended.get())
    }
}

/// Notes when a file ended.
struct Ended<R> {
    file: R,
    ended: Rc<Cell<bool>>,
}

impl<R: Read> Read for Ended<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        if read == 0 && !bytes.is_empty() {
            self.ended.set(true);
        }
        Ok(read)
    }
}

/// The frames of a Zstandard file one after the other; those to be skipped are.
struct Frames<R> {
    file: R,
    decoder: FrameDecoder,
    /// Whether a frame was begun and not ended.
    within: bool,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.within && !self.next_frame()? {
                return Ok(0);
            }
            if !self.decoder.is_finished() && self.decoder.can_collect() < bytes.len() {
                let some = BlockDecodingStrategy::UptoBytes(bytes.len());
                self.decoder.decode_blocks(&mut self.file, some).map_err(io::Error::other)?;
            }
            let read = self.decoder.read(bytes)?;
            if read > 0 {
                return Ok(read);
            }
            if self.decoder.is_finished() {
                self.within = false;
                let told = self.decoder.get_checksum_from_data();
                if told.is_some() && told != self.decoder.get_calculated_checksum() {
                    return Err(io::Error::other("a frame's checksum does not fit its data"));
                }
            }
        }
    }
}

impl<R: BufRead> Frames<R> {
    /// Goes to the next frame; whether there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.file.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.file) {
                Ok(()) => {
                    self.within = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.file.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
