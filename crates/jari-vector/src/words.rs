//! The words of a chunk as the model numbers them: sorted numbers, kept as what each adds to the one before, seven bits a byte.

/// Adds `words` to `bytes`. They must be sorted.
pub(crate) fn pack(words: &[u32], bytes: &mut Vec<u8>) {
    let mut last = 0;
    for word in words {
        let mut more = word - last;
        while more >= 0x80 {
            bytes.push(more as u8 | 0x80);
            more >>= 7;
        }
        bytes.push(more as u8);
        last = *word;
    }
}

/// The numbers that were packed; of bytes that nobody packed, some numbers.
pub(crate) fn unpack(bytes: &[u8]) -> Vec<u32> {
    let mut words = Vec::with_capacity(bytes.len());
    let (mut last, mut more, mut shift) = (0_u32, 0_u32, 0);
    for byte in bytes {
        more |= u32::from(byte & 0x7f).wrapping_shl(shift);
        shift += 7;
        if byte & 0x80 == 0 {
            last = last.wrapping_add(more);
            words.push(last);
            (more, shift) = (0, 0);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_packed_is_unpacked(mut words in proptest::collection::vec(proptest::num::u32::ANY, 0..80)) {
            words.sort_unstable();
            let mut bytes = Vec::new();
            pack(&words, &mut bytes);
            proptest::prop_assert_eq!(unpack(&bytes), words);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
            proptest::prop_assert!(unpack(&bytes).len() <= bytes.len());
        }
    }

    #[test]
    fn near_numbers_take_a_byte_each() {
        let mut bytes = Vec::new();
        pack(&[3, 7, 100, 227], &mut bytes);
        assert_eq!(bytes, [3, 4, 93, 127]);
    }
}
