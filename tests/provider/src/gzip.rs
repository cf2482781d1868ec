//! Just enough of gzip to send some: stored blocks, and one that repeats a byte two hundred times for each that is sent.

const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Bytes as a gzip file, uncompressed within.
pub(crate) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    let mut blocks = bytes.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap();
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out.extend(crc(bytes).to_le_bytes());
    out.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    out
}

/// `prefix` and then about so many times the letter `a`, at 13 bits for 258 of them. It has no end: who reads so far has read too far.
pub(crate) fn bomb(prefix: &[u8], bytes: u64) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    let length = u16::try_from(prefix.len()).unwrap();
    out.push(0);
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(prefix);
    let mut bits = Bits { out, held: 0, count: 0 };
    bits.low_first(0b011, 3); // the last block, with the fixed code
    bits.high_first(0x30 + u32::from(b'a'), 8);
    // Eight of these codes are thirteen bytes, and the same thirteen from the second time on.
    let eight = |bits: &mut Bits| {
        for _ in 0..8 {
            bits.high_first(0b1100_0101, 8); // length 258
            bits.high_first(0, 5); // distance 1
        }
    };
    eight(&mut bits);
    let from = bits.out.len();
    eight(&mut bits);
    let again = bits.out[from..].to_vec();
    for _ in 0..bytes / (258 * 8) {
        bits.out.extend(&again);
    }
    bits.out
}

struct Bits {
    out: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn low_first(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            self.held |= (value >> bit & 1) << self.count;
            self.count += 1;
            if self.count == 8 {
                self.out.push(u8::try_from(self.held).unwrap());
                self.held = 0;
                self.count = 0;
            }
        }
    }

    fn high_first(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            self.low_first(value >> bit & 1, 1);
        }
    }
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}
