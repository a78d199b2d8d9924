//! demo
use super::recording::Frame;
use std::time::Duration;
pub(super) fn frame(_: Duration) -> Frame {
    Frame::default()
}
