//! Linkage: the tree of a collection by single linkage ([`single_linkage`]), in which two groups are as near as their
//! nearest members.

use crate::worker_protocol::collection::LinkedOrder;

/// Returns the tree of `len` texts by single linkage, as the order of its leaves. `nearness` is symmetric, and larger for
/// nearer texts.
///
/// Of two groups that join, the one with the smaller text comes first. Takes O(len²) calls of `nearness` and O(len)
/// memory.
///
/// The merges of single linkage are the edges of a maximum spanning tree, from the nearest one on (Gower and Ross,
/// Applied Statistics 18, 1969). Prim's algorithm finds the edges.
pub fn single_linkage(len: usize, nearness: impl Fn(usize, usize) -> f64) -> LinkedOrder {
    let mut edges = spanning_tree(len, nearness);
    edges.sort_by(|x, y| y.nearness.total_cmp(&x.nearness).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut groups: Vec<usize> = (0..len).collect();
    // By the number of the smallest text of a group: its last text.
    let mut last: Vec<usize> = (0..len).collect();
    // By text: the text after it in its group, and the link between them. A group begins with its smallest text.
    let mut next: Vec<Option<(usize, f64)>> = vec![None; len];
    for Edge { a, b, nearness } in edges {
        let (a, b) = (root(&mut groups, a), root(&mut groups, b));
        let (first, second) = (a.min(b), a.max(b));
        next[last[first]] = Some((second, nearness));
        last[first] = last[second];
        groups[second] = first;
    }
    let mut linked = LinkedOrder::default();
    let mut at = (len > 0).then_some(0);
    while let Some(text) = at {
        linked.order.push(text as u32);
        at = next[text].map(|(text, link)| {
            linked.links.push(link);
            text
        });
    }
    linked
}

/// An edge of the spanning tree.
struct Edge {
    a: usize,
    b: usize,
    nearness: f64,
}

fn spanning_tree(len: usize, nearness: impl Fn(usize, usize) -> f64) -> Vec<Edge> {
    // By text outside of the tree: its nearest text in the tree, and how near that is.
    let mut nearest: Vec<(usize, f64)> = vec![(0, f64::NEG_INFINITY); len];
    let mut outside: Vec<usize> = (1..len).collect();
    let mut edges = Vec::with_capacity(outside.len());
    let mut added = 0;
    while !outside.is_empty() {
        let mut best = 0;
        for (at, &text) in outside.iter().enumerate() {
            let now = nearness(added, text);
            if now > nearest[text].1 {
                nearest[text] = (added, now);
            }
            if nearest[text].1 > nearest[outside[best]].1 {
                best = at;
            }
        }
        added = outside.remove(best);
        let (from, nearness) = nearest[added];
        edges.push(Edge { a: from.min(added), b: from.max(added), nearness });
    }
    edges
}

/// Returns the smallest text of the group of `text`, and shortens the path to it.
fn root(groups: &mut [usize], mut text: usize) -> usize {
    while groups[text] != text {
        groups[text] = groups[groups[text]];
        text = groups[text];
    }
    text
}

#[cfg(test)]
mod tests {
    use kernels::collection::groups;

    use super::*;

    #[test]
    fn order_of_a_line_of_texts_follows_the_line() {
        let places: [f64; 5] = [0.0, 10.0, 1.0, 12.0, 3.0];
        let linked = single_linkage(5, |a, b| -(places[a] - places[b]).abs());
        assert_eq!((linked.order, linked.links), (vec![0, 2, 4, 1, 3], vec![-1.0, -2.0, -7.0, -2.0]));
        assert_eq!(single_linkage(0, |_, _| 0.0), LinkedOrder::default());
        assert_eq!(single_linkage(1, |_, _| 0.0), LinkedOrder { order: vec![0], links: Vec::new() });
    }

    /// Cutting the tree at any nearness gives the connected components of the pairs that are at least this near.
    #[test]
    fn groups_of_the_tree_are_connected_components() {
        let mut random = fastrand::Rng::with_seed(7);
        for len in [2, 3, 10, 40] {
            let mut near = vec![0.0; len * len];
            for a in 0..len {
                for b in 0..a {
                    let nearness = f64::from(random.u32(0..30));
                    (near[a * len + b], near[b * len + a]) = (nearness, nearness);
                }
            }
            let linked = single_linkage(len, |a, b| near[a * len + b]);
            for least in 0..31 {
                let least = f64::from(least);
                let pairs = (0..len).flat_map(|a| (0..a).map(move |b| (b, a)));
                let expected = groups(len, pairs.filter(|&(a, b)| near[a * len + b] >= least));
                let mut runs: Vec<Vec<usize>> = vec![vec![linked.order[0] as usize]];
                for (&text, &link) in linked.order[1..].iter().zip(&linked.links) {
                    if link < least {
                        runs.push(Vec::new());
                    }
                    runs.last_mut().unwrap().push(text as usize);
                }
                runs.retain(|run| run.len() > 1);
                runs.iter_mut().for_each(|run| run.sort_unstable());
                runs.sort_by_key(|run| (std::cmp::Reverse(run.len()), run[0]));
                assert_eq!(runs, expected, "{len} texts, at least {least}");
            }
        }
    }
}
