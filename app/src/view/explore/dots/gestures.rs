//! Pointers, wheel and keys of a dot plot. One finger moves the plot sideways and the page up and down. Two fingers
//! move the plot and zoom around the point between them. A mouse with Shift draws a rectangle to zoom to. A pointer
//! that hardly moves is a click.

use leptos::ev;
use leptos::prelude::*;

use super::plot::{PlotState, PressedPointer};

/// Factor by which a button or a key zooms.
pub const ZOOM: f64 = 1.6;

/// Distance by which an arrow key moves the visible range, as a fraction of its size.
const STEP: f64 = 0.12;

/// Maximum distance in pixels that a pointer may move during a click.
const MAX_CLICK_MOVEMENT: f64 = 5.0;

impl PlotState {
    /// Converts a point of the canvas (in CSS pixels) to fractions of the picture, horizontal and vertical.
    fn share(self, (x, y): (f64, f64)) -> (f64, f64) {
        self.layout.with_value(|layout| layout.share((x, y)))
    }

    /// Handles the wheel: zooms around the pointer, unless the wheel is meant to scroll the page.
    pub fn wheel(self, event: &ev::WheelEvent) {
        if !crate::view::widgets::keys::is_zoom(event) {
            return;
        }
        event.prevent_default();
        let around = self.share((f64::from(event.offset_x()), f64::from(event.offset_y())));
        self.zoom((-event.delta_y() / 400.0).clamp(-1.0, 1.0).exp(), Some(around));
        // At the edge of the texts, the pair of positions under the pointer changes.
        self.point_at(around);
    }

    /// Records the pair of positions at a point, given in fractions of the picture, as the pair under the pointer.
    /// Records none if the point is outside of the picture.
    fn point_at(self, (x, y): (f64, f64)) {
        let is_inside = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
        self.hover.set(is_inside.then(|| self.sight.get_untracked().spot((x, y), self.of)));
    }

    /// Handles a double click: zooms in by a factor of two, or out if Shift is pressed.
    pub fn nearer(self, event: &ev::MouseEvent) {
        let around = self.share((f64::from(event.offset_x()), f64::from(event.offset_y())));
        self.zoom(if event.shift_key() { 0.5 } else { 2.0 }, Some(around));
    }

    /// Handles a pressed key while the canvas has the focus.
    pub fn key(self, event: &ev::KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "+" | "=" => self.zoom(ZOOM, None),
            "-" => self.zoom(1.0 / ZOOM, None),
            "0" | "Home" => self.show_all(),
            "ArrowLeft" => self.shift((-STEP, 0.0)),
            "ArrowRight" => self.shift((STEP, 0.0)),
            "ArrowUp" => self.shift((0.0, -STEP)),
            "ArrowDown" => self.shift((0.0, STEP)),
            "Enter" | " " => self.mark.set(Some(self.sight.get_untracked().spot((0.5, 0.5), self.of))),
            "Escape" => self.mark.set(None),
            _ => return,
        }
        event.prevent_default();
    }

    /// Handles a pressed pointer.
    pub fn down(self, event: &ev::PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if let Some(canvas) = self.canvas.get_untracked() {
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        self.fingers.update_value(|fingers| {
            fingers.push(PressedPointer { id: event.pointer_id(), position: at, first: at, moved: false });
            // A pointer that was pressed together with another one never clicks.
            let several = fingers.len() > 1;
            fingers.iter_mut().for_each(|finger| finger.moved |= several);
        });
        self.brush.set(event.shift_key().then(|| [self.share(at); 2]));
    }

    /// Handles a moving pointer, pressed or not.
    pub fn drag(self, event: &ev::PointerEvent) {
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let fingers = self.fingers.get_value();
        let Some(mut finger) = fingers.iter().find(|finger| finger.id == event.pointer_id()).copied() else {
            return self.point_at(self.share(at));
        };
        let before = finger.position;
        finger.moved |= (at.0 - finger.first.0).hypot(at.1 - finger.first.1) > MAX_CLICK_MOVEMENT;
        finger.position = at;
        self.fingers.update_value(|fingers| fingers.iter_mut().filter(|it| it.id == finger.id).for_each(|it| *it = finger));
        if !finger.moved {
            return;
        }
        let (from, to) = (self.share(before), self.share(at));
        if let Some([first, _]) = self.brush.get_untracked() {
            return self.brush.set(Some([first, to]));
        }
        match fingers.iter().find(|other| other.id != finger.id) {
            None => self.shift((from.0 - to.0, from.1 - to.1)),
            Some(other) => {
                let apart = |at: (f64, f64)| (at.0 - other.position.0).hypot(at.1 - other.position.1).max(1.0);
                self.shift(((from.0 - to.0) / 2.0, (from.1 - to.1) / 2.0));
                let middle = self.share((at.0.midpoint(other.position.0), at.1.midpoint(other.position.1)));
                self.zoom(apart(at) / apart(before), Some(middle));
            }
        }
    }

    /// Handles a released pointer. A pointer that has hardly moved was a click, which selects a pair of positions.
    /// After a drag with Shift, zooms to the rectangle.
    pub fn up(self, event: &ev::PointerEvent) {
        let finger = self.fingers.try_update_value(|fingers| {
            let at = fingers.iter().position(|finger| finger.id == event.pointer_id())?;
            Some(fingers.remove(at))
        });
        let Some(finger) = finger.flatten() else { return };
        let brush = self.brush.get_untracked();
        self.brush.set(None);
        match brush {
            Some([from, to]) if finger.moved => self.sight.update(|sight| *sight = sight.between(from, to, self.of)),
            _ if !finger.moved && event.type_() == "pointerup" => {
                let at = self.share(finger.position);
                self.mark.set(Some(self.sight.get_untracked().spot(at, self.of)));
            }
            _ => {}
        }
    }
}
