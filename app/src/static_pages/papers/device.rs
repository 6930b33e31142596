//! Constants of the machine model for an H200: meaning, value and measurement of each. The program `gpu/probe` measures
//! them.

use leptos::prelude::*;

use super::{PapersTexts, figure};
use crate::model::text::humanize::grouped;
use crate::tr::fill;
use crate::view::widgets::prose::prose;

/// Symbols of the model's constants, in the order of the table. `numbers` of [`PapersTexts`] has their meanings and the
/// ways they were measured.
pub(super) const SYMBOLS: [&str; 5] = ["w", "d", "p", "l", "L"];

/// Number of threads in a warp of the H200, *w* of the model.
const WIDTH: u64 = 32;

/// Number of multiprocessors of the H200, *d* of the model.
const DMMS: u64 = 132;

/// Number of threads at which a memory reaches 95 % of its maximum rate (*p* of the model): threads per block for
/// shared memory, threads of the whole GPU for global memory.
const THREADS: [u64; 2] = [1024, 270_336];

/// Latency, in cycles, of shared memory, of global memory, and of global memory that is in the second-level cache (*l*
/// and *L* of the model).
const CYCLES: [f64; 3] = [29.0, 649.0, 288.0];

/// Clock rate of a multiprocessor in GHz, that is, cycles per nanosecond.
const GHZ: f64 = 1.944;

/// Name of the file of results that contains all figures of this module.
const RESULTS: &str = "2026-11-23-h200-papers.txt";

/// Returns the nanoseconds that a number of cycles takes, formatted.
fn nanoseconds(cycles: f64) -> String {
    figure((cycles / GHZ).round())
}

/// Returns the value of each constant in [`SYMBOLS`], formatted.
fn values() -> [String; 5] {
    let [shared, global, cached] = CYCLES;
    let cycles = |cycles: f64| format!("{} ({} ns)", figure(cycles), nanoseconds(cycles));
    [
        grouped(WIDTH),
        grouped(DMMS),
        format!("{}; {}", grouped(THREADS[0]), grouped(THREADS[1])),
        cycles(shared),
        format!("{}; {}", cycles(global), cycles(cached)),
    ]
}

/// Renders the table of constants, with the name of the GPU.
pub(super) fn table(told: &'static PapersTexts) -> impl IntoView {
    let rows = SYMBOLS.into_iter().zip(values()).zip(told.numbers).map(|((symbol, value), what)| {
        view! {
            <tr>
                <th scope="row">
                    <var>{symbol}</var>
                </th>
                <td>{value}</td>
                <td class="what">{prose(what)}</td>
            </tr>
        }
    });
    let says = fill(told.device, &[("ghz", figure(GHZ))]);
    view! {
        <section class="section">
            <h2 id="machine">{told.device_title}</h2>
            <p class="note">{prose(&says)} " " <code>{RESULTS}</code></p>
            <div class="wide-table" role="region" tabindex="0" aria-labelledby="machine">
                <table class="paper-table device">
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="col">"H200"</th>
                            <th scope="col">{told.device_what}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_agree_with_the_results() {
        let path = format!("{}/../kernels/benches/results/{RESULTS}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let [shared, global, cached] = CYCLES;
        for said in [
            format!("in cycles of {GHZ} GHz"),
            format!("d = {DMMS} DMMs, width w = {WIDTH}\n"),
            format!("latency of shared memory l = {shared:.1};"),
            format!("latency of global memory L = {global}; where the second cache has the words {cached}\n"),
        ] {
            assert!(text.contains(&said), "{said}");
        }
        // Each is the number at the end of its line of rates.
        let saturated = text.lines().filter_map(|line| line.split_once("saturated by p = ")).map(|(_, threads)| threads.parse().unwrap());
        assert_eq!(saturated.collect::<Vec<u64>>(), THREADS);
    }
}
