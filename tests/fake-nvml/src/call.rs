//! The way that every modelled call goes: it is counted, refused where the played driver has no such
//! function or the library was not initialized, its handle is checked, the rules and the noise have their
//! say, and then the recording answers.

use crate::code;
use crate::fake::{Fake, fake};
use crate::faults::{self, Action, Outcome};
use crate::handles::{self, Place};
use crate::noise::Noise;
use nvml_wrapper_sys::bindings::nvmlDevice_t;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::atomic::Ordering;

/// What a call is about.
#[derive(Copy, Clone)]
pub enum On {
    /// The library itself: answers before it is initialized.
    Library,
    /// The machine as a whole.
    System,
    /// The device with this index, of which the caller has no handle yet.
    Index(u32),
    /// The device behind a handle.
    Device(nvmlDevice_t),
    /// The device behind what may be a handle: the first argument of a function that is not modelled.
    Maybe(nvmlDevice_t),
}

/// A question with its arguments, and the code where the recording does not know it.
pub struct Asked<'a> {
    /// The function.
    pub symbol: &'static str,
    /// The numbers that it is given, as a recording writes them.
    pub arguments: &'a [u32],
    /// The code for a key that the recording lacks.
    pub missing: u32,
}

/// What is to be written where the caller wants the answer.
pub enum Given<'a> {
    /// An answer as a recording holds it.
    Json(Cow<'a, Value>),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// Anything.
    Noise(Noise),
}

/// A call that was let in.
pub struct Call<'a> {
    /// The library's state.
    pub fake: &'static Fake,
    /// The device that it is about.
    pub place: Option<Place>,
    /// Entries to add to a list.
    pub grow: u64,
    /// The question as a recording writes it.
    pub key: String,
    asked: &'a Asked<'a>,
    instead: Option<Action>,
    noise: Option<Noise>,
}

/// The key of a question in a recording.
pub fn key(symbol: &str, arguments: &[u32]) -> String {
    if arguments.is_empty() {
        return symbol.to_owned();
    }
    let arguments: Vec<String> = arguments.iter().map(u32::to_string).collect();
    format!("{symbol}({})", arguments.join(","))
}

/// Serves a call: `answer` writes what the caller gets.
pub fn serve<'a>(on: On, asked: &'a Asked<'a>, answer: impl FnOnce(&Call<'a>) -> Result<(), u32>) -> u32 {
    let fake = fake();
    let place = match on {
        On::Device(handle) => Some(handles::place(asked.symbol, handle)),
        On::Index(device) => Some(Place { device, slot: None }),
        On::Maybe(handle) => handles::known(handle),
        On::Library | On::System => None,
    };
    let gpu = place.map(|place| place.device);
    let count = fake.counters.count(asked.symbol, gpu);
    let key = key(asked.symbol, asked.arguments);
    let mut call = Call { fake, place, grow: 0, key, asked, instead: None, noise: None };
    let rc = call.enter(on, count).and_then(|()| answer(&call)).err().unwrap_or(0);
    fake.counters.trace(&call.key, gpu, &rc);
    rc
}

impl<'a> Call<'a> {
    /// Everything that can stop a call before it is looked up.
    fn enter(&mut self, on: On, count: u64) -> Result<(), u32> {
        let symbol = self.asked.symbol;
        if self.fake.absent.contains(symbol) {
            return Err(code::FUNCTION_NOT_FOUND);
        }
        if !matches!(on, On::Library) && self.fake.starts.load(Ordering::SeqCst) < 1 {
            return Err(code::UNINITIALIZED);
        }
        let gpu = self.gpu();
        let outcome = faults::apply(&self.fake.rules, symbol, &self.key, gpu);
        self.grow = outcome.grow;
        self.instead = self.suffer(outcome)?;
        // An answer that a rule gives is not drowned in noise.
        let seed = self.fake.seed.filter(|_| self.instead.is_none());
        if let Some(mut noise) = seed.and_then(|seed| seed.of(&self.key, gpu, count)) {
            // A library that does not start shows nothing, so most of the noise lets it start.
            let spared = symbol.starts_with("nvmlInit") && noise.next() % 8 != 0;
            match noise.code().filter(|_| !spared) {
                Some(code) => return Err(code),
                None => self.noise = Some(noise),
            }
        }
        Ok(())
    }

    /// The device's index.
    pub fn gpu(&self) -> Option<u32> {
        self.place.map(|place| place.device)
    }

    /// Goes through with what the rules ask for; what is left is an answer.
    fn suffer(&self, outcome: Outcome) -> Result<Option<Action>, u32> {
        if !outcome.delay.is_zero() {
            std::thread::sleep(outcome.delay);
        }
        match outcome.answer {
            Some(Action::Code(code)) => Err(code),
            Some(Action::Hang) => {
                self.fake.counters.trace(&self.key, self.gpu(), &"hang");
                loop {
                    std::thread::park();
                }
            }
            Some(Action::Abort) => handles::abort(&format!("{} was told to abort", self.key)),
            answer => Ok(answer),
        }
    }

    /// What the caller gets: the rules' answer, noise, or what was recorded.
    pub fn given(&self) -> Result<Given<'static>, u32> {
        match self.instead()? {
            Some(given) => Ok(given),
            None => self.recorded(self.asked.symbol, self.asked.arguments),
        }
    }

    /// What the caller gets in place of the machine's answer, if anything.
    pub fn instead(&self) -> Result<Option<Given<'static>>, u32> {
        match (&self.instead, &self.noise) {
            (Some(Action::Value(value)), _) => checked(Cow::Owned(value.clone())).map(Some),
            (Some(Action::Bytes(bytes)), _) => Ok(Some(Given::Bytes(bytes.clone()))),
            (_, Some(noise)) => Ok(Some(Given::Noise(noise.clone()))),
            _ => Ok(None),
        }
    }

    /// What was recorded, or can be told from what was.
    fn recorded(&self, symbol: &str, arguments: &[u32]) -> Result<Given<'static>, u32> {
        let machine = self.fake.machine.as_ref().ok_or(code::DRIVER_NOT_LOADED)?;
        if let Some(own) = self.fake.profile.and_then(|profile| profile.answer(symbol)) {
            return Ok(Given::Json(Cow::Owned(own)));
        }
        let answers = machine.answers(self.place)?;
        let known = answers.get(&key(symbol, arguments));
        // Without a profile the library is as exact as a replay: what was not recorded is not there. A
        // played driver has calls that the recorded one may have lacked, so their answers are derived.
        let played = self.fake.profile.is_some() || self.asked.missing != code::FUNCTION_NOT_FOUND;
        let lacking = known.is_none_or(|value| error(value) == Some(code::FUNCTION_NOT_FOUND));
        if played
            && lacking
            && let Some(derived) = crate::derive::derive(answers, symbol, arguments)
        {
            return checked(derived);
        }
        checked(Cow::Borrowed(known.ok_or(self.asked.missing)?))
    }

    /// What the rules and the recording say about one value of a call that answers several at once.
    pub fn part(&self, arguments: &[u32], missing: u32) -> Result<Value, u32> {
        let key = key(self.asked.symbol, arguments);
        let value = self.look_up_part(&key, missing);
        self.fake.counters.trace(&key, self.gpu(), value.as_ref().err().unwrap_or(&0));
        value
    }

    fn look_up_part(&self, key: &str, missing: u32) -> Result<Value, u32> {
        let outcome = faults::apply_to_part(&self.fake.rules, key, self.gpu());
        if let Some(Action::Value(value)) = self.suffer(outcome)? {
            return Ok(value);
        }
        let machine = self.fake.machine.as_ref().ok_or(code::DRIVER_NOT_LOADED)?;
        let value = machine.answers(self.place)?.get(key).ok_or(missing)?;
        error(value).map_or_else(|| Ok(value.clone()), Err)
    }
}

fn checked(value: Cow<'static, Value>) -> Result<Given<'static>, u32> {
    match error(&value) {
        Some(code) => Err(code),
        None => Ok(Given::Json(value)),
    }
}

/// The code in a recorded error.
pub fn error(value: &Value) -> Option<u32> {
    let code = value.get("error")?.as_u64()?;
    Some(u32::try_from(code).unwrap_or(code::UNKNOWN))
}
