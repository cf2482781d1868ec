//! Changes to a component that keep its frame: a section's length always fits its content, however deep it lies. Without that, all
//! but a few of the changes that chance makes are refused for their frame, and nothing behind it is ever met.

/// A component's or a module's header.
const HEADER: usize = 8;
/// Sections that hold a whole module or component.
const NESTED: [u8; 2] = [1, 4];
/// How deep a change goes.
const DEPTH: usize = 4;
/// How much a change may add to a section, in bytes.
const GROWTH: usize = 128;

/// One section.
#[derive(Clone)]
struct Section {
    id: u8,
    content: Vec<u8>,
}

/// Numbers that follow from a seed (`xorshift`): the fuzzer gives the seed, so that every change can be made again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }
}

/// The component with one change. `others` are what sections are taken from; `bytewise` changes bytes, up to a length.
pub(crate) fn mutated(
    component: &[u8],
    others: &[Vec<u8>],
    seed: u32,
    bytewise: impl Fn(&mut Vec<u8>, usize),
) -> Vec<u8> {
    let mut chance = Chance((u64::from(seed) << 16) | 0x9e37);
    let start = match chance.below(64) {
        // Now and then from the beginning, or without any regard for the frame.
        0 => &others[chance.below(others.len())],
        1 => {
            let mut bytes = component.to_vec();
            let most = bytes.len() + GROWTH;
            bytewise(&mut bytes, most);
            return bytes;
        }
        _ => component,
    };
    change(start, others, &mut chance, &bytewise, DEPTH).unwrap_or_else(|| {
        let mut bytes = component.to_vec();
        let most = bytes.len() + GROWTH;
        bytewise(&mut bytes, most);
        bytes
    })
}

fn change(
    binary: &[u8],
    others: &[Vec<u8>],
    chance: &mut Chance,
    bytewise: &impl Fn(&mut Vec<u8>, usize),
    depth: usize,
) -> Option<Vec<u8>> {
    let (header, mut sections) = split(binary)?;
    let is_component = header[4] == 13;
    if sections.is_empty() {
        return Some(others[chance.below(others.len())].clone());
    }
    let at = chance.below(sections.len());
    match chance.below(10) {
        0 => drop(sections.remove(at)),
        1 => sections.insert(at, sections[chance.below(sections.len())].clone()),
        2 => {
            let other = chance.below(sections.len());
            sections.swap(at, other);
        }
        3 => {
            let (_, theirs) = split(&others[chance.below(others.len())])?;
            let one = theirs.get(chance.below(theirs.len()))?.clone();
            sections.insert(at, one);
        }
        _ if is_component && depth > 0 && NESTED.contains(&sections[at].id) => {
            sections[at].content = change(&sections[at].content, others, chance, bytewise, depth - 1)?;
        }
        _ => {
            let most = sections[at].content.len() + GROWTH;
            bytewise(&mut sections[at].content, most);
        }
    }
    Some(joined(header, &sections))
}

/// The header and the sections; none where the frame is broken.
fn split(binary: &[u8]) -> Option<(&[u8], Vec<Section>)> {
    let (header, mut rest) = binary.split_at_checked(HEADER)?;
    if !header.starts_with(b"\0asm") {
        return None;
    }
    let mut sections = Vec::new();
    while let Some((id, behind)) = rest.split_first() {
        let mut size = 0_usize;
        let mut width = 0;
        loop {
            let byte = *behind.get(width)?;
            size |= usize::from(byte & 0x7f) << (7 * width);
            width += 1;
            if byte & 0x80 == 0 {
                break;
            }
            if width == 5 {
                return None;
            }
        }
        let (content, next) = behind[width..].split_at_checked(size)?;
        let content = content.to_vec();
        sections.push(Section { id: *id, content });
        rest = next;
    }
    Some((header, sections))
}

fn joined(header: &[u8], sections: &[Section]) -> Vec<u8> {
    let mut binary = header.to_vec();
    for section in sections {
        binary.push(section.id);
        let mut size = section.content.len();
        loop {
            // The lowest seven bits, and whether more follow.
            let low = size.to_le_bytes()[0] & 0x7f;
            size >>= 7;
            binary.push(low | if size > 0 { 0x80 } else { 0 });
            if size == 0 {
                break;
            }
        }
        binary.extend_from_slice(&section.content);
    }
    binary
}
