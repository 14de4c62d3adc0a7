//! What control groups let this process have: cgroup v1 and v2, its own group and those above it.

use crate::files::Files;
use crate::input::short;

/// The process's folders of one hierarchy that can limit CPU time, its own first, then those above it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    version: Version,
    folders: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V1,
    V2,
}

/// CPUs' worth of time that the process may use: the least of its own group's quota and of those above; `None` without any.
///
/// # Errors
/// Why it is not known whether there is one.
pub(crate) fn quota(files: &Files) -> Result<Option<f64>, String> {
    // Kernels without control groups have no such file, and no quotas.
    if !files.exists("/proc/self/cgroup") {
        return if files.exists("/proc/self") { Ok(None) } else { Err("no /proc/self/cgroup".into()) };
    }
    files.read("/proc/self/cgroup")?;
    let hierarchies = hierarchies(files, "cpu");
    let in_a_group =
        files.read("/proc/self/cgroup")?.lines().any(|line| line.contains(":cpu") || line.starts_with("0::"));
    if hierarchies.is_empty() && in_a_group {
        return Err("the process is in a control group, but its file system is not mounted here".into());
    }
    let mut quotas = Vec::new();
    for hierarchy in hierarchies {
        for folder in &hierarchy.folders {
            let read = |name: &str| {
                let path = format!("{folder}/{name}");
                // The topmost group has none, and neither has one whose controller is off.
                if files.exists(&path) { files.read(&path).map(Some) } else { Ok(None) }
            };
            quotas.extend(match hierarchy.version {
                Version::V2 => read("cpu.max")?.map(|text| quota_of_max(&text)).transpose()?.flatten(),
                Version::V1 => match (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?) {
                    (Some(quota), Some(period)) => ratio(&quota, &period)?,
                    _ => None,
                },
            });
        }
    }
    Ok(quotas.into_iter().min_by(f64::total_cmp))
}

/// Periods in which the process's group or one above it was throttled; `None` where no group counts them.
pub(crate) fn throttled_periods(files: &Files) -> Option<u64> {
    let hierarchies = hierarchies(files, "cpu");
    let folders = hierarchies.iter().flat_map(|hierarchy| &hierarchy.folders);
    let counts = folders.filter_map(|folder| throttled_of_stat(&files.read(&format!("{folder}/cpu.stat")).ok()?));
    counts.fold(None, |sum: Option<u64>, count| Some(sum.unwrap_or(0).saturating_add(count)))
}

/// `200000 100000` is 2 CPUs, `max 100000` none.
fn quota_of_max(text: &str) -> Result<Option<f64>, String> {
    let (quota, period) = text.split_once(' ').unwrap_or((text, ""));
    ratio(quota, period)
}

fn ratio(quota: &str, period: &str) -> Result<Option<f64>, String> {
    let (quota, period) = (quota.trim(), period.trim());
    if quota == "max" || quota == "-1" {
        return Ok(None);
    }
    match (quota.parse::<i64>(), period.parse::<i64>()) {
        (Ok(quota), Ok(period)) if quota > 0 && period > 0 => Ok(Some(quota as f64 / period as f64)),
        _ => Err(format!("`{}` is no quota", short(&format!("{quota} {period}").escape_debug().to_string()))),
    }
}

fn throttled_of_stat(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("nr_throttled ")?.trim().parse().ok())
}

/// The process's folders that can hold files of a controller, a list for each hierarchy: its own first, then those above it.
pub(crate) fn folders_of(files: &Files, controller: &str) -> Vec<Vec<String>> {
    hierarchies(files, controller).into_iter().map(|hierarchy| hierarchy.folders).collect()
}

fn hierarchies(files: &Files, controller: &str) -> Vec<Hierarchy> {
    let mut groups = files.read("/proc/self/cgroup").unwrap_or_default();
    if let (true, Ok(group)) = (controller == "cpuset", files.read("/proc/self/cpuset")) {
        // Kernels without control groups tell the cpuset alone, and others tell it twice.
        groups.push_str(&format!("\n0:cpuset:{group}"));
    }
    let mounts = match files.read("/proc/self/mountinfo") {
        Ok(mounts) => mounts.lines().filter_map(Mount::of_mountinfo).collect(),
        Err(_) => files.read("/proc/mounts").unwrap_or_default().lines().filter_map(Mount::of_mounts).collect(),
    };
    found(&groups, mounts, controller)
}

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    /// Which folder of the file system is mounted.
    root: String,
    point: String,
    system: String,
    options: String,
}

impl Mount {
    /// A line of `/proc/self/mountinfo` (proc(5)).
    fn of_mountinfo(line: &str) -> Option<Self> {
        let (fields, system) = line.split_once(" - ")?;
        let mut fields = fields.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let mut system = system.split(' ');
        Some(Mount {
            root: unescaped(root),
            point: unescaped(point),
            system: system.next()?.into(),
            options: system.nth(1).unwrap_or("").into(),
        })
    }

    /// A line of `/proc/mounts` (fstab(5)).
    fn of_mounts(line: &str) -> Option<Self> {
        let mut fields = line.split(' ').skip(1);
        let (point, system) = (fields.next()?, fields.next()?);
        let options = fields.next().unwrap_or("").into();
        Some(Mount { root: "/".into(), point: unescaped(point), system: system.into(), options })
    }
}

/// Finds the process's folders from the text of `/proc/self/cgroup` and the mounts.
fn found(groups: &str, mounts: Vec<Mount>, controller: &str) -> Vec<Hierarchy> {
    let mut hierarchies = Vec::new();
    for mount in mounts {
        let has_it = |options: &str| options.split(',').any(|option| option == controller);
        let version = match mount.system.as_str() {
            "cgroup2" => Version::V2,
            "cgroup" if has_it(&mount.options) => Version::V1,
            // The file system that cpusets had before there were control groups.
            "cpuset" if controller == "cpuset" => Version::V1,
            _ => continue,
        };
        let own = groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let is_it = match version {
                Version::V2 => controllers.is_empty(),
                Version::V1 => has_it(controllers),
            };
            is_it.then_some(path)
        });
        let Some(own) = own else { continue };
        let hierarchy = Hierarchy { version, folders: folders(own, &mount.root, &mount.point) };
        // The same hierarchy mounted twice is counted once.
        if !hierarchies.iter().any(|other: &Hierarchy| other.version == version) {
            hierarchies.push(hierarchy);
        }
    }
    hierarchies
}

/// The folders of a group below a mount of the hierarchy, from its own up to the mount point.
fn folders(group: &str, root: &str, point: &str) -> Vec<String> {
    let below = if root == "/" { Some(group) } else { group.strip_prefix(root) };
    // A group outside what is mounted (another namespace's) leaves the mount point as the nearest that can be seen.
    let below = below.filter(|path| !path.split('/').any(|part| part == "..")).unwrap_or("");
    let mut path = format!("{}{}", point.trim_end_matches('/'), below.trim_end_matches('/'));
    let mut folders = vec![path.clone()];
    while path.len() > point.len() {
        let Some(cut) = path.rfind('/').filter(|cut| *cut >= point.len()) else { break };
        path.truncate(cut);
        folders.push(path.clone());
    }
    folders
}

/// mountinfo writes blanks, tabs, line ends and backslashes as a backslash and three octal digits.
fn unescaped(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    const V2: &str = "25 1 0:22 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";

    #[test]
    fn quotas_are_the_kernels_words_in_cpus() {
        assert_eq!(quota_of_max("200000 100000"), Ok(Some(2.0)));
        assert_eq!(quota_of_max("50000 100000"), Ok(Some(0.5)));
        for text in ["max 100000", "max", "-1 100000"] {
            assert_eq!(quota_of_max(text), Ok(None), "{text}");
        }
        for text in ["", "x y", "100", "0 100000", "100000 0"] {
            assert!(quota_of_max(text).unwrap_err().ends_with("is no quota"), "{text}");
        }
    }

    #[test]
    fn the_least_quota_on_the_way_up_counts() {
        let tree = Tree::new(&[
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", V2),
            ("/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\n"),
            ("/sys/fs/cgroup/a/cpu.stat", "nr_throttled 4\n"),
            ("/sys/fs/cgroup/cpu.stat", "usage_usec 5\n"),
            ("/sys/fs/cgroup/other/cpu.max", "1000 100000\n"),
        ]);
        assert_eq!(quota(&tree.files()), Ok(Some(1.5)));
        assert_eq!(throttled_periods(&tree.files()), Some(7));
    }

    #[test]
    fn version_1_has_its_own_files() {
        let tree = Tree::new(&[
            ("/proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/docker/abc\n0::/\n"),
            (
                "/proc/self/mountinfo",
                "31 1 0:3 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                 32 1 0:4 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n",
            ),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 10\nnr_throttled 0\nthrottled_time 0\n"),
        ]);
        assert_eq!(quota(&tree.files()), Ok(Some(2.5)));
        assert_eq!(throttled_periods(&tree.files()), Some(0));
    }

    #[test]
    fn no_quota_and_no_count_are_absent_not_zero() {
        let bare = Tree::new(&[]);
        assert_eq!(throttled_periods(&bare.files()), None);
        assert_eq!(quota(&bare.files()), Err("no /proc/self/cgroup".into()));
        let unmounted = Tree::new(&[("/proc/self/cgroup", "0::/\n"), ("/proc/self/mountinfo", "\n")]);
        assert!(quota(&unmounted.files()).unwrap_err().contains("not mounted"));
        let odd = [("/proc/self/cgroup", "0::/\n"), ("/proc/self/mountinfo", V2), ("/sys/fs/cgroup/cpu.max", "x\n")];
        assert!(quota(&Tree::new(&odd).files()).unwrap_err().contains("is no quota"));
        let without_groups = Tree::new(&[("/proc/self/status", "Name:\tx\n")]);
        assert_eq!(quota(&without_groups.files()), Ok(None));
        let unlimited = Tree::new(&[
            ("/proc/self/cgroup", "2:cpu:/\n"),
            ("/proc/self/mountinfo", "31 1 0:3 / /c rw - cgroup cgroup rw,cpu\n"),
            ("/c/cpu.cfs_quota_us", "-1\n"),
            ("/c/cpu.cfs_period_us", "100000\n"),
        ]);
        assert_eq!((quota(&unlimited.files()), throttled_periods(&unlimited.files())), (Ok(None), None));
    }

    #[test]
    fn folders_go_up_to_the_mount_point_and_not_beyond() {
        assert_eq!(folders("/a/b", "/", "/m"), ["/m/a/b", "/m/a", "/m"]);
        assert_eq!(folders("/", "/", "/m"), ["/m"]);
        assert_eq!(folders("/docker/x/y", "/docker/x", "/m"), ["/m/y", "/m"]);
        assert_eq!(folders("/../other", "/", "/m"), ["/m"]);
        assert_eq!(folders("/elsewhere", "/docker/x", "/m"), ["/m"]);
        assert_eq!(unescaped("/a\\040b"), "/a b");
        for line in ["garbage", " - ", "1 2 3 - cgroup2", ""] {
            assert_eq!(Mount::of_mountinfo(line), None, "{line}");
        }
        let mount = Mount::of_mounts("none /dev/a\\040b cpuset rw,x 0 0").unwrap();
        assert_eq!(
            (mount.point.as_str(), mount.system.as_str(), mount.options.as_str()),
            ("/dev/a b", "cpuset", "rw,x")
        );
        assert!(found("garbage\n::\n", vec![mount], "cpu").is_empty());
    }
}
