//! Noise for `FAKE_NVML_RANDOM=SEED[:PERCENT]`: return codes, bytes and counts that make no sense, the same
//! for a seed whenever a call is the n-th of its kind on a device, in whatever order threads run.

use std::hash::{Hash, Hasher};

/// The seed and how many calls of a hundred are answered with noise.
#[derive(Copy, Clone, Debug)]
pub struct Seed {
    seed: u64,
    percent: u64,
}

impl Seed {
    /// Reads `SEED` or `SEED:PERCENT`.
    pub fn parse(text: &str) -> Option<Self> {
        let (seed, percent) = text.split_once(':').unwrap_or((text, "100"));
        Some(Self { seed: seed.parse().ok()?, percent: percent.parse().ok()? })
    }

    /// The noise for one call, unless this one is spared.
    pub fn of(self, key: &str, gpu: Option<u32>, count: u64) -> Option<Noise> {
        // The hasher of std starts from fixed keys when made this way.
        let mut hasher = std::hash::DefaultHasher::new();
        (self.seed, key, gpu, count).hash(&mut hasher);
        let mut noise = Noise(hasher.finish());
        (noise.next() % 100 < self.percent).then_some(noise)
    }
}

/// A stream of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A return code, or none where the call is to succeed.
    pub fn code(&mut self) -> Option<u32> {
        match self.next() % 10 {
            0..=5 => None,
            6 => Some(self.next() as u32).filter(|code| *code != 0),
            7 => [77, 999, u32::MAX].get((self.next() % 3) as usize).copied(),
            _ => Some((self.next() % 30) as u32 + 1),
        }
    }

    /// Bytes without a NUL among them.
    pub fn text(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() % 255) as u8 + 1).collect()
    }

    /// Any bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// A length for a list with room for `room`: right, one too many, or absurd.
    pub fn length(&mut self, room: u32) -> u32 {
        match self.next() % 6 {
            0 => 0,
            1 | 2 => room,
            3 => room.saturating_add(1),
            4 => (self.next() % 4096) as u32,
            _ => self.next() as u32,
        }
    }
}
