//! What only shows from inside: parts of a text, and how long the kernels take.

use super::*;
use crate::oracle::random;
use crate::run::Silent;

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn gpu() -> Option<Gpu> {
    Gpu::open(0, None).inspect_err(|error| eprintln!("skipped: no CUDA device ({error})")).ok()
}

fn expected<T: Eq>(a: &[T], b: &[T]) -> Vec<u64> {
    b.windows(a.len()).zip(0..).filter(|(window, _)| *window == a).map(|(_, at)| at).collect()
}

fn check<T: Unit + Into<u32> + Eq>(gpu: &Gpu, texts: Texts<T>, limit: u64) {
    let expected = expected(texts.a, texts.b);
    let run = Run::new(&Silent);
    let (total, positions) = search_within(gpu, texts, false, &run, limit).unwrap();
    assert!(positions.iter().eq(expected.iter().copied()), "{} of {} in {}, limit {limit}", total, texts.a.len(), texts.b.len());
    assert_eq!(total, expected.len() as u64);
    assert_eq!(search_within(gpu, texts, true, &run, limit).unwrap().0, total);
    assert_eq!(run.cells(), 2 * (texts.a.len() + texts.b.len()) as u64);
}

#[test]
fn a_text_in_parts_loses_nothing() {
    let Some(gpu) = gpu() else { return };
    let b = [random(b"\0\x01", 150_000, 1), vec![0; 150_000], random(b"\0\x01\x02", 100_000, 2)].concat();
    let wide: Vec<u32> = b.iter().map(|&symbol| 1000 * u32::from(symbol)).collect();
    for m in [1, 3, 8, 31, 32, 33, 100, 20_000] {
        for from in [0, 65_530, 160_000, b.len() - m] {
            let all = (b.len() - m + 1) as u64;
            for part in [all, 200_000, 65_536] {
                check(&gpu, Texts { a: &b[from..from + m], b: &b, alphabet: 3 }, bytes::<u8>(part, m as u64));
                check(&gpu, Texts { a: &wide[from..from + m], b: &wide, alphabet: 2001 }, bytes::<u32>(part, m as u64));
            }
        }
    }
    let limit = bytes::<u8>(65_536, 20_000) - 1;
    let refused = search_within(&gpu, Texts { a: &b[..20_000], b: &b, alphabet: 3 }, false, &Run::new(&Silent), limit);
    assert!(matches!(refused, Err(Halt::Failed(Failure::TooLarge { .. }))), "{refused:?}");
}

/// Prints how long the passes take on the device alone: `cargo test -p kernels --release exact_search::cuda -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what it is for")]
fn rates() {
    let Some(gpu) = gpu() else { return };
    let alnum = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let text = random(alnum, 38_000_000, 1);
    let zeros = vec![0u8; 4 << 20];
    let almost = [vec![0u8; 4095], vec![1]].concat();
    let rows: [(&str, &[u8], &[u8]); 7] = [
        ("aab in 38M", b"aab", &text),
        ("8 symbols in 38M", &text[37_000_000..][..8], &text),
        ("1024 symbols in 38M", &text[37_000_000..][..1024], &text),
        ("4000 symbols in 38M", &text[37_000_000..][..4000], &text),
        ("a^4096 in a^4Mi", &zeros[..4096], &zeros),
        ("a^4095 b in a^4Mi", &almost, &zeros),
        ("one symbol of 62 in 38M", b"7", &text),
    ];
    for (name, a, b) in rows {
        let run = Run::new(&Silent);
        let session = Session::new(&gpu, &run).unwrap();
        let searcher = Searcher::new(&gpu, session, Texts { a, b, alphabet: 256 }).unwrap();
        let offsets = (b.len() - a.len() + 1) as u64;
        let address = searcher.session.text(b).unwrap();
        let mut times: Vec<[f32; 3]> = (0..21)
            .map(|_| {
                let pass = searcher.session.timed(|| searcher.find(address, offsets, None).unwrap()).0;
                let marks = Marks::new(&searcher.session, offsets).unwrap();
                let marked = searcher.session.timed(|| searcher.find(address, offsets, Some(&marks)).unwrap()).0;
                [pass, marked, searcher.session.timed(|| searcher.part(b, offsets, false).unwrap()).0]
            })
            .collect();
        let median = |which: usize, times: &mut Vec<[f32; 3]>| {
            times.sort_by(|one, other| one[which].total_cmp(&other[which]));
            1e3 * times[times.len() / 2][which]
        };
        let [pass, marked, all] = [0, 1, 2].map(|which| median(which, &mut times));
        println!("{name:26} list {pass:8.1} µs, bits {marked:8.1} µs; with looking the text up, waiting and fetching {all:9.1} µs");
    }
}
