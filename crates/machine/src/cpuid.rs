//! What an x86 processor itself tells of the hypervisor.

/// The hypervisor's signature, such as `KVMKVMKVM`; `None` without one and on other processors.
#[cfg(target_arch = "x86_64")]
pub(crate) fn hypervisor_signature() -> Option<String> {
    use std::arch::x86_64::{__cpuid, CpuidResult};

    // Newer toolchains call the instruction safe.
    #[allow(unused_unsafe)]
    fn leaf(leaf: u32) -> CpuidResult {
        // SAFETY: every x86_64 processor has the instruction, and it only returns numbers.
        unsafe { __cpuid(leaf) }
    }

    // Bit 31 of leaf 1's ECX is the hypervisor's; leaf 4000_0000h then holds its signature (Linux
    // arch/x86/include/asm/hypervisor.h, the vendors' interface documents).
    if leaf(1).ecx & (1 << 31) == 0 {
        return None;
    }
    let CpuidResult { ebx, ecx, edx, .. } = leaf(0x4000_0000);
    let bytes: Vec<u8> = [ebx, ecx, edx].iter().flat_map(|word| word.to_le_bytes()).collect();
    let text: String = bytes.iter().filter(|byte| byte.is_ascii_graphic()).map(|byte| char::from(*byte)).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// The hypervisor's signature; `None` on processors that are not x86.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn hypervisor_signature() -> Option<String> {
    None
}
