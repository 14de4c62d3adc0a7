//! Whether the machine is virtual, and by what.

use crate::cpuid;
use crate::files::Files;

/// What is known of a hypervisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hypervisor {
    /// There is one; its name and how it shows, such as `KVM (cpuid)`.
    Present(String),
    /// Nothing shows one.
    NoneSeen,
    /// The files that would tell cannot be read.
    Unknown(String),
}

pub(crate) fn hypervisor(files: &Files) -> Hypervisor {
    if let Ok(kind) = files.read("/sys/hypervisor/type") {
        if !kind.is_empty() {
            return Hypervisor::Present(format!("{kind} (/sys/hypervisor)"));
        }
    }
    let cpuinfo = files.read("/proc/cpuinfo");
    let text = cpuinfo.as_deref().unwrap_or("");
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim())
        })
    };
    if field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")) {
        let signature = if files.are_real() { cpuid::hypervisor_signature() } else { None };
        let name = signature.as_deref().map(name_of_signature).map(str::to_owned).or_else(|| name_of_dmi(files));
        return Hypervisor::Present(match name {
            Some(name) => format!("{name} (cpuid)"),
            None => "present (cpuid flag), unnamed".into(),
        });
    }
    if let Some(vendor) = field("Hypervisor vendor") {
        return Hypervisor::Present(format!("{vendor} (/proc/cpuinfo)"));
    }
    if let Ok(compatible) = files.read("/proc/device-tree/hypervisor/compatible") {
        // The property holds several strings with NULs between them.
        let first = compatible.split('\0').next().unwrap_or("").to_owned();
        let name = if first.contains("kvm") { "KVM".to_owned() } else { first };
        return Hypervisor::Present(format!("{name} (device tree)"));
    }
    if field("machine").is_some_and(|machine| machine.contains("qemu")) {
        return Hypervisor::Present("QEMU (/proc/cpuinfo)".into());
    }
    if field("platform") == Some("pSeries") || files.exists("/proc/ppc64/lparcfg") {
        return Hypervisor::Present("PowerVM or KVM (a pSeries partition)".into());
    }
    if let Some(name) = name_of_dmi(files) {
        return Hypervisor::Present(format!("{name} (DMI)"));
    }
    match cpuinfo {
        Ok(_) => Hypervisor::NoneSeen,
        Err(why) => Hypervisor::Unknown(why),
    }
}

fn name_of_signature(signature: &str) -> &str {
    match signature {
        "KVMKVMKVM" => "KVM",
        "MicrosoftHv" | "Microsoft Hv" => "Hyper-V",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        "TCGTCGTCGTCG" => "QEMU TCG",
        "bhyvebhyve" => "bhyve",
        "ACRNACRNACRN" => "ACRN",
        "VBoxVBoxVBox" => "VirtualBox",
        other => other,
    }
}

/// DMI names that only virtual machines have.
fn name_of_dmi(files: &Files) -> Option<String> {
    let dmi = |name: &str| files.read(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
    let text = format!("{} {}", dmi("sys_vendor"), dmi("product_name"));
    let known = [
        ("QEMU", "QEMU"),
        ("KVM", "KVM"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Xen", "Xen"),
        ("Microsoft Corporation Virtual Machine", "Hyper-V"),
        ("Google Compute Engine", "Google Compute Engine"),
        ("Parallels", "Parallels"),
        ("OpenStack", "OpenStack"),
    ];
    known.iter().find(|(mark, _)| text.contains(mark)).map(|(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    fn of(files: &[(&str, &str)]) -> Hypervisor {
        hypervisor(&Tree::new(files).files())
    }

    fn present(name: &str) -> Hypervisor {
        Hypervisor::Present(name.into())
    }

    #[test]
    fn each_kind_of_machine_shows_it_in_its_way() {
        let virtual_x86 = ("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
        assert_eq!(of(&[virtual_x86]), present("present (cpuid flag), unnamed"));
        assert_eq!(of(&[virtual_x86, ("/sys/class/dmi/id/sys_vendor", "QEMU\n")]), present("QEMU (cpuid)"));
        assert_eq!(of(&[("/sys/hypervisor/type", "xen\n")]), present("xen (/sys/hypervisor)"));
        let device_tree = ("/proc/device-tree/hypervisor/compatible", "linux,kvm\0epapr,hypervisor-0.2\0");
        assert_eq!(of(&[device_tree]), present("KVM (device tree)"));
        let qemu_power = "cpu : POWER8\nplatform\t: pSeries\nmachine\t\t: CHRP IBM pSeries (emulated by qemu)\n";
        assert_eq!(of(&[("/proc/cpuinfo", qemu_power)]), present("QEMU (/proc/cpuinfo)"));
        let arm = ("/proc/cpuinfo", "CPU part : 0xd0c\n");
        assert_eq!(of(&[arm, ("/sys/class/dmi/id/product_name", "KVM Virtual Machine\n")]), present("KVM (DMI)"));
    }

    #[test]
    fn bare_metal_and_ignorance_are_two_things() {
        assert_eq!(of(&[("/proc/cpuinfo", "flags : fpu not_hypervisor\n")]), Hypervisor::NoneSeen);
        assert_eq!(of(&[]), Hypervisor::Unknown("no /proc/cpuinfo".into()));
        // Some clouds' bare metal has the cloud's DMI names.
        let bare = [("/proc/cpuinfo", "flags : fpu\n"), ("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n")];
        assert_eq!(of(&bare), Hypervisor::NoneSeen);
    }
}
