//! QR codes of links, for example for the phones of a class. They are drawn locally so that no other service learns the
//! link.

use explain::worker_protocol::query::QrCode;
use qrcodegen::QrCodeEcc;

/// Draws `text` as a QR code with medium error correction, or with low error correction if it does not fit. Returns
/// `None` if the text is too long for any code (about 2,900 bytes).
pub(crate) fn draw(text: &str) -> Option<QrCode> {
    let code = [QrCodeEcc::Medium, QrCodeEcc::Low].into_iter().find_map(|level| qrcodegen::QrCode::encode_text(text, level).ok())?;
    let size = code.size();
    let mut path = String::new();
    for y in 0..size {
        let mut x = 0;
        while x < size {
            let dark = (x..size).take_while(|x| code.get_module(*x, y)).count() as i32;
            if dark > 0 {
                path.push_str(&format!("M{x} {y}h{dark}v1h-{dark}z"));
            }
            x += dark.max(1);
        }
    }
    Some(QrCode { size: size as u32, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the dark modules inside a path.
    fn modules(drawing: &QrCode) -> Vec<(u32, u32)> {
        let mut dark = Vec::new();
        for run in drawing.path.split('M').filter(|run| !run.is_empty()) {
            let (x, rest) = run.split_once(' ').unwrap();
            let (y, rest) = rest.split_once('h').unwrap();
            let (len, _) = rest.split_once('v').unwrap();
            let (x, y, len): (u32, u32, u32) = (x.parse().unwrap(), y.parse().unwrap(), len.parse().unwrap());
            dark.extend((x..x + len).map(|x| (x, y)));
        }
        dark
    }

    #[test]
    fn path_draws_the_modules_of_the_code() {
        let text = "https://editscope.example/r/7hq2vxct0kzsw9ynfr4mlabcde";
        let code = qrcodegen::QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        let drawing = draw(text).unwrap();
        assert_eq!(drawing.size, code.size() as u32);
        let dark: Vec<(u32, u32)> = (0..drawing.size)
            .flat_map(|y| (0..drawing.size).map(move |x| (x, y)))
            .filter(|&(x, y)| code.get_module(x as i32, y as i32))
            .collect();
        assert_eq!(modules(&drawing), dark);
        // The finder pattern in the upper left corner.
        assert!(drawing.path.starts_with("M0 0h7v1h-7z"));
    }

    #[test]
    fn text_that_is_too_long_has_no_code() {
        assert!(draw(&"x".repeat(2_900)).is_some());
        assert_eq!(draw(&"x".repeat(3_000)), None);
    }
}
