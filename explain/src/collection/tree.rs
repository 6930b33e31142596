//! Tree: the order in which similar texts join. Single linkage joins the two groups whose nearest members are nearest.
//! Its cut at a threshold has the groups that chains of pairs below the threshold connect.

use kodama::{Method, linkage};

/// A step of a tree: two clusters become one. Cluster numbers below the number of texts are texts. The cluster of step `s`
/// has the number texts + `s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeJoin {
    /// Cluster with the first text.
    pub first: usize,
    /// Other cluster.
    pub second: usize,
    /// Distance of the nearest two texts of both clusters.
    pub distance: f32,
}

/// Builds the tree of `texts` texts by single linkage. `distance` returns the distance of two texts, of which the first has
/// the lower number. Returns texts − 1 steps, nearest first.
///
/// Takes O(texts²) time, and four bytes for each pair of texts.
///
/// ```
/// use explain::collection::tree::single_linkage;
///
/// let places = [0.0, 10.0, 1.0_f32];
/// let tree = single_linkage(3, |a, b| (places[a] - places[b]).abs());
/// assert_eq!((tree[0].first, tree[0].second, tree[1].first, tree[1].second), (0, 2, 3, 1));
/// ```
pub fn single_linkage(texts: usize, distance: impl Fn(usize, usize) -> f32) -> Vec<TreeJoin> {
    let mut distances: Vec<f32> = (0..texts).flat_map(|a| (a + 1..texts).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).collect();
    let steps = linkage(&mut distances, texts, Method::Single);
    // The lowest text of each cluster decides which one is first.
    let mut lowest: Vec<usize> = (0..texts).collect();
    let mut joins = Vec::with_capacity(texts.saturating_sub(1));
    for step in steps.steps() {
        let [one, other] = [step.cluster1, step.cluster2];
        let (first, second) = if lowest[one] < lowest[other] { (one, other) } else { (other, one) };
        lowest.push(lowest[first]);
        joins.push(TreeJoin { first, second, distance: step.dissimilarity });
    }
    joins
}

/// Returns the order of the leaves of a tree with `texts` texts, so that no branches cross. The first cluster of each step
/// stands before the second one.
pub fn leaf_order(texts: usize, tree: &[TreeJoin]) -> Vec<usize> {
    let mut order = Vec::with_capacity(texts);
    let mut open = match (tree.len(), texts) {
        (_, 0) => Vec::new(),
        (0, _) => (0..texts).rev().collect(),
        (joins, _) => vec![texts + joins - 1],
    };
    while let Some(cluster) = open.pop() {
        match cluster.checked_sub(texts) {
            None => order.push(cluster),
            Some(join) => open.extend([tree[join].second, tree[join].first]),
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use kernels::collection::groups;

    use super::*;

    /// Cutting the tree at any height gives the groups that chains connect.
    #[test]
    fn cuts_of_the_tree_are_connected_groups() {
        for seed in 0..40 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let texts = rng.usize(0..25);
            let distances: Vec<Vec<u32>> = (0..texts).map(|_| (0..texts).map(|_| rng.u32(0..12)).collect()).collect();
            let tree = single_linkage(texts, |a, b| distances[a][b] as f32);
            assert_eq!(tree.len(), texts.saturating_sub(1));
            assert!(tree.is_sorted_by_key(|join| join.distance));
            let mut order = leaf_order(texts, &tree);
            for height in 0..12 {
                let near = (0..texts).flat_map(|a| (a + 1..texts).map(move |b| (a, b))).filter(|&(a, b)| distances[a][b] <= height);
                let mut clusters: Vec<Vec<usize>> = (0..texts).map(|text| vec![text]).collect();
                for join in &tree {
                    let both = if join.distance <= height as f32 {
                        [&clusters[join.first][..], &clusters[join.second]].concat()
                    } else {
                        Vec::new()
                    };
                    if !both.is_empty() {
                        clusters[join.first].clear();
                        clusters[join.second].clear();
                    }
                    clusters.push(both);
                }
                clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
                clusters.retain(|cluster| cluster.len() > 1);
                clusters.sort_by_key(|cluster| (std::cmp::Reverse(cluster.len()), cluster[0]));
                assert_eq!(clusters, groups(texts, near), "height {height}");
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..texts));
        }
    }
}
