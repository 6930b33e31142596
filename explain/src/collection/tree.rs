//! Tree: the order in which similar texts join. Single linkage joins the two groups whose nearest members are nearest.
//! Its cut at a threshold has the groups that chains of pairs below the threshold connect.

/// A step of a tree: two clusters become one. Cluster numbers below the number of texts are texts. The cluster of step `s`
/// has the number texts + `s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeJoin {
    /// Cluster with the first text.
    pub first: usize,
    /// Other cluster.
    pub second: usize,
    /// Distance of the nearest two texts of both clusters.
    pub distance: f64,
}

/// Builds the tree of `texts` texts by single linkage. `distance` returns the distance of two texts, in any order. Returns
/// texts − 1 steps, nearest first.
///
/// Takes O(texts²) calls of `distance` and O(texts) memory. The steps of single linkage are the edges of a minimum spanning
/// tree, from the shortest one on (Gower and Ross, Applied Statistics 18, 1969). Prim's algorithm finds the edges.
///
/// ```
/// use explain::collection::tree::single_linkage;
///
/// let places = [0.0, 10.0, 1.0_f64];
/// let tree = single_linkage(3, |a, b| (places[a] - places[b]).abs());
/// assert_eq!((tree[0].first, tree[0].second, tree[1].first, tree[1].second), (0, 2, 3, 1));
/// ```
pub fn single_linkage(texts: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<TreeJoin> {
    let mut edges = spanning_tree(texts, distance);
    edges.sort_by(|x, y| x.distance.total_cmp(&y.distance).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut roots: Vec<usize> = (0..texts).collect();
    // By the lowest text of a cluster, which decides which one is first.
    let mut clusters = roots.clone();
    let mut joins = Vec::with_capacity(edges.len());
    for Edge { a, b, distance } in edges {
        let (a, b) = (root(&mut roots, a), root(&mut roots, b));
        let (low, high) = (a.min(b), a.max(b));
        joins.push(TreeJoin { first: clusters[low], second: clusters[high], distance });
        clusters[low] = texts + joins.len() - 1;
        roots[high] = low;
    }
    joins
}

/// An edge of a spanning tree.
struct Edge {
    a: usize,
    b: usize,
    distance: f64,
}

/// Returns the edges of a minimum spanning tree by Prim's algorithm.
fn spanning_tree(texts: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<Edge> {
    // By text outside of the tree: its nearest text in the tree, and their distance.
    let mut nearest: Vec<(usize, f64)> = vec![(0, f64::INFINITY); texts];
    let mut outside: Vec<usize> = (1..texts).collect();
    let mut edges = Vec::with_capacity(outside.len());
    let mut added = 0;
    while !outside.is_empty() {
        let mut best = 0;
        for (at, &text) in outside.iter().enumerate() {
            let now = distance(added.min(text), added.max(text));
            if now < nearest[text].1 {
                nearest[text] = (added, now);
            }
            if nearest[text].1 < nearest[outside[best]].1 {
                best = at;
            }
        }
        added = outside.remove(best);
        let (from, distance) = nearest[added];
        edges.push(Edge { a: from.min(added), b: from.max(added), distance });
    }
    edges
}

/// Returns the lowest text of the cluster of `text`, and shortens the path to it.
fn root(roots: &mut [usize], mut text: usize) -> usize {
    while roots[text] != text {
        roots[text] = roots[roots[text]];
        text = roots[text];
    }
    text
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

/// Returns for each leaf of [`leaf_order`] but the last the distance at which the tree joins it with the next one. Leaves
/// between which all these distances are at most some height are one cluster of the cut at this height.
pub fn leaf_links(texts: usize, tree: &[TreeJoin]) -> Vec<f64> {
    let mut place = vec![0; texts];
    leaf_order(texts, tree).into_iter().enumerate().for_each(|(at, text)| place[text] = at);
    let mut links = vec![0.0; texts.saturating_sub(1)];
    // By cluster: the place of its last leaf.
    let mut last = place;
    for join in tree {
        links[last[join.first]] = join.distance;
        last.push(last[join.second]);
    }
    links
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
            let tree = single_linkage(texts, |a, b| f64::from(distances[a.min(b)][a.max(b)]));
            assert_eq!(tree.len(), texts.saturating_sub(1));
            assert!(tree.is_sorted_by_key(|join| join.distance));
            let mut order = leaf_order(texts, &tree);
            let links = leaf_links(texts, &tree);
            for height in 0..12 {
                let near = (0..texts).flat_map(|a| (a + 1..texts).map(move |b| (a, b))).filter(|&(a, b)| distances[a][b] <= height);
                let mut clusters: Vec<Vec<usize>> = (0..texts).map(|text| vec![text]).collect();
                for join in &tree {
                    let both = if join.distance <= f64::from(height) {
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
                let expected = groups(texts, near);
                assert_eq!(clusters, expected, "height {height}");
                let mut runs: Vec<Vec<usize>> = Vec::new();
                for (at, &text) in order.iter().enumerate() {
                    match runs.last_mut() {
                        Some(run) if links[at - 1] <= f64::from(height) => run.push(text),
                        _ => runs.push(vec![text]),
                    }
                }
                runs.iter_mut().for_each(|run| run.sort_unstable());
                runs.retain(|run| run.len() > 1);
                runs.sort_by_key(|run| (std::cmp::Reverse(run.len()), run[0]));
                assert_eq!(runs, expected, "height {height}");
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..texts));
        }
    }
}
