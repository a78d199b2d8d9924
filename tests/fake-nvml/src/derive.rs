//! Answers of older and newer forms of a call, told from the form that was recorded.

use rsmi::driver::recording::Answers;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The answer to `symbol` from another recorded answer, where there is one.
pub fn derive<'a>(answers: &'a Answers, symbol: &str, arguments: &[u32]) -> Option<Cow<'a, Value>> {
    let get = |symbol: &str, arguments: &[u32]| {
        let value = answers.get(&crate::call::key(symbol, arguments))?;
        (crate::call::error(value) != Some(crate::code::FUNCTION_NOT_FOUND)).then_some(value)
    };
    let first = |symbols: &[&str]| symbols.iter().find_map(|symbol| get(symbol, arguments)).map(Cow::Borrowed);
    let base = symbol.trim_end_matches("_v2").trim_end_matches("_v3");
    match base {
        "nvmlDeviceGetMemoryInfo" => match symbol {
            "nvmlDeviceGetMemoryInfo" => get("nvmlDeviceGetMemoryInfo_v2", &[]).map(without_reserved),
            _ => get("nvmlDeviceGetMemoryInfo", &[]).map(Cow::Borrowed),
        },
        "nvmlDeviceGetPciInfo" | "nvmlDeviceGetPciInfoExt" => {
            first(&["nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfoExt"])
        }
        "nvmlDeviceGetFanSpeed" if arguments == [0] => get("nvmlDeviceGetFanSpeed", &[]).map(Cow::Borrowed),
        "nvmlDeviceGetClock" if arguments.get(1) == Some(&0) => {
            get("nvmlDeviceGetClockInfo", arguments.get(..1)?).map(Cow::Borrowed)
        }
        "nvmlDeviceGetTemperature" => first(&["nvmlDeviceGetTemperatureV"]),
        "nvmlDeviceGetTemperatureV" => first(&["nvmlDeviceGetTemperature"]),
        "nvmlDeviceGetGpuFabricInfo" => first(&["nvmlDeviceGetGpuFabricInfoV"]),
        "nvmlDeviceGetGpuFabricInfoV" => first(&["nvmlDeviceGetGpuFabricInfo"]),
        _ if base.contains("ClocksThrottleReasons") => first(&[&base.replace("Throttle", "Event")]),
        _ if base.contains("ClocksEventReasons") => first(&[&base.replace("Event", "Throttle")]),
        _ => first(&[&format!("{base}_v3"), &format!("{base}_v2"), base]),
    }
}

/// The first form of the memory call counts what the driver keeps as used.
fn without_reserved(memory: &Value) -> Cow<'_, Value> {
    let number = |key: &str| memory.get(key).and_then(Value::as_u64);
    match (number("total"), number("free"), number("used")) {
        (Some(total), Some(free), Some(used)) => {
            let used = used.saturating_add(number("reserved").unwrap_or(0));
            Cow::Owned(json!({ "total": total, "free": free, "used": used }))
        }
        _ => Cow::Borrowed(memory),
    }
}
