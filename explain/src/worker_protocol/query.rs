//! Queries ([`WorkerQuery`]): requests with one reply. The compiler pairs a query with the type of its reply in the
//! page, in the worker and where the page decodes replies of the server.
//!
//! Queries of the same part of the solver are one enum, such as [`HitQuery`], which the worker matches.

use kernels::alignment::{AlignmentSummary, PairSide};
use kernels::cbor::{Cbor, from_bytes, to_bytes};
use kernels::found::{Hit, ScoreSpan};
use kernels::{cbor_enum, cbor_struct};

use super::RequestKind;
use crate::difference_filter::{DifferencePosition, DifferenceQuery, EditKinds};
use crate::dots::{DotPlot, DotPlotFrame};
use crate::hit_page::HitPage;
use crate::matrix::document::MatrixSymbols;
use crate::points::{PointsSummary, PointsWindow};
use crate::side_by_side::{RowPair, SideBySideOutline};
use crate::window::{AlignmentWindow, OverviewBin};

/// A request with one reply. The worker sends the reply beside [`WorkerReply::Found`](super::WorkerReply::Found).
pub trait WorkerQuery: Into<RequestKind> {
    /// The type of the reply's content.
    type Reply: Cbor;

    /// Encodes the reply to this query.
    fn encode(&self, reply: &Self::Reply) -> Vec<u8> {
        to_bytes(reply)
    }

    /// Decodes a reply to a query of this type. Returns `None` if `bytes` encode no such reply.
    fn decode(bytes: &[u8]) -> Option<Self::Reply> {
        from_bytes(bytes)
    }
}

/// A query that the server answers too, in JSON, at the address [`RequestKind::path`].
pub trait ServedQuery: WorkerQuery {}

impl RequestKind {
    /// Returns the address of the reply on the server, relative to the address of the result. Returns `None` unless the
    /// request is a [`ServedQuery`].
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Tool(query) => query.path(),
            Self::Alignment(query) => query.path(),
            Self::Hits(query) => query.path(),
            Self::Layout(query) => query.path(),
            Self::Solve { .. } | Self::Measure { .. } | Self::Export { .. } | Self::Collection | Self::Patterns => None,
        }
    }
}

/// Defines the enum of the queries of a group, and each query with its number, its fields, the type of its reply, and
/// its address if the server answers it.
macro_rules! queries {
    ($(#[$group_doc:meta])* $kind:ident($group:ident) { $(
        $(#[$doc:meta])*
        $number:literal $name:ident($query:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) -> $reply:ty
        $(, $path:expr)?;
    )+ }) => {
        $(#[$group_doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $group {
            $($(#[$doc])* $name($query)),+
        }

        cbor_enum!($group { $($number $name(query)),+ });

        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $query {
                $($(#[$field_doc])* pub $field: $type),*
            }

            cbor_struct!($query { $($field),* });

            impl From<$query> for RequestKind {
                fn from(query: $query) -> Self {
                    Self::$kind($group::$name(query))
                }
            }

            impl WorkerQuery for $query {
                type Reply = $reply;
            }

            $(queries!(@served $query, $path);)?
        )+

        impl $group {
            fn path(&self) -> Option<String> {
                match self {
                    $(Self::$name(query) => queries!(@path query: $query $(, $path)?),)+
                }
            }
        }
    };
    (@served $query:ident, $path:expr) => {
        impl ServedQuery for $query {}
    };
    (@path $value:ident: $query:ident) => {{
        let _: &$query = $value;
        None
    }};
    (@path $value:ident: $query:ident, $path:expr) => {{
        let path: fn(&$query) -> String = $path;
        Some(path($value))
    }};
}

queries! {
    /// A query that needs no stored result.
    Tool(ToolQuery) {
        /// A request to store the alignment whose CIGAR is beside this message. The reply has the alignment's numbers
        /// of edits.
        0 Keep(KeepQuery {}) -> AlignmentSummary;

        /// A request for the QR code of a text.
        1 Code(CodeQuery {
            /// The text, usually a link.
            text: String,
        }) -> QrCode;

        /// A request for the BLAKE3 hashes of the two texts beside this message, in hexadecimal.
        2 Digest(DigestQuery {}) -> [String; 2];
    }
}

/// A QR code as a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QrCode {
    /// Number of dark or light squares (modules) per side of the QR code.
    pub size: u32,
    /// Outline of the dark squares of the QR code, as an SVG path.
    pub path: String,
}

cbor_struct!(QrCode { size, path });

queries! {
    /// A query about the stored alignment.
    Alignment(AlignmentQuery) {
        /// A request for a window (a range of columns) of the alignment.
        0 Window(WindowQuery {
            /// First column of the requested window, from 0.
            from: u64,
            /// Number of columns of the requested window.
            len: u64,
        }) -> AlignmentWindow, |query| format!("alignment?from={}&len={}", query.from, query.len);

        /// A request for the numbers of edits in equal parts of the alignment.
        1 Overview(OverviewQuery {
            /// Maximum number of equal parts into which the columns of the alignment are divided.
            points: usize,
        }) -> Vec<OverviewBin>, |query| format!("overview?points={}", query.points);

        /// A request for the rows that have a difference, if the alignment is drawn in rows of `width` columns. The
        /// reply has the numbers of these rows.
        2 Rows(ChangedRowsQuery {
            /// Number of columns of a row in which the alignment is drawn, at least 1.
            width: u64,
        }) -> Vec<u32>;

        /// A request for the position of a difference (a run of edited columns). The reply is `None` if the difference
        /// does not exist.
        3 Place(PlaceQuery {
            /// Kinds of edits. Only differences with an edit of these kinds are considered.
            kinds: EditKinds,
            /// The requested difference, by its number or by a column of the alignment.
            which: DifferenceQuery,
        }) -> Option<DifferencePosition>, |PlaceQuery { kinds, which }| match which {
            DifferenceQuery::Number(number) => format!("differences/{number}?kinds={kinds}"),
            DifferenceQuery::At(column) => format!("differences?at={column}&kinds={kinds}"),
        };

        /// A request for the column of the alignment that contains a symbol.
        4 Column(ColumnQuery {
            /// The text that has the symbol.
            side: PairSide,
            /// Position of the symbol in its text, from 0.
            position: u64,
        }) -> u64, |query| format!("column?{}={}", if query.side == PairSide::A { "a" } else { "b" }, query.position);
    }
}

queries! {
    /// A query about the hits or scores of the last run.
    Hits(HitQuery) {
        /// A request to store the alignment of a hit, which later queries about an alignment then use. The reply has
        /// the hit and the numbers of edits.
        0 Open(OpenHitQuery {
            /// Number of the hit, from 0.
            hit: u64,
        }) -> (Hit, AlignmentSummary);

        /// A request to store the alignment of `a` with `b` at one offset of match count, without gaps. The reply has
        /// the numbers of edits.
        1 Overlay(OverlayQuery {
            /// Offset in `b` at which `a` begins.
            offset: u64,
        }) -> AlignmentSummary;

        /// A request for a page of hits with the text around them. The page is shorter if there are fewer hits.
        2 Page(HitPageQuery {
            /// Number of the first hit of the requested page, from 0.
            from: u64,
            /// Maximum number of hits of the requested page.
            len: u64,
            /// Number of symbols of text before and after each hit.
            context: u64,
        }) -> HitPage, |query| format!("hits?from={}&len={}&context={}", query.from, query.len, query.context);

        /// A request for the substring of `b` nearest to `a` (the first one, if several are equally near), with the
        /// text around it. The reply is an empty page if the search would take too long.
        3 Nearest(NearestQuery {
            /// Number of symbols of text before and after the substring.
            context: u64,
        }) -> HitPage;

        /// A request for the number of offsets (ends of substrings of `b`) with each distance, from distance 0 on.
        4 Counts(CountsQuery {}) -> Vec<u64>, |_| "counts".to_owned();

        /// A request for the scores at the offsets `from..from + len`, summarized in at most `points` spans of offsets.
        5 Profile(ProfileQuery {
            /// First offset of the requested range.
            from: u64,
            /// Number of offsets in the range, which begins at `from`.
            len: u64,
            /// Maximum number of equal parts (spans) into which the range is divided.
            points: usize,
        }) -> Vec<ScoreSpan>, |query| format!("profile?from={}&len={}&points={}", query.from, query.len, query.points);
    }
}

queries! {
    /// A query whose reply is a layout: both texts side by side, a matrix, a dot plot, or the points of columns.
    Layout(LayoutQuery) {
        /// A request for the number of rows of both texts side by side, the rows that differ, and the moved blocks.
        0 Outline(OutlineQuery {}) -> SideBySideOutline, |_| "editions".to_owned();

        /// A request for rows of both texts side by side.
        1 RowPairs(RowPairsQuery {
            /// Number of the first requested row, from 0.
            from: u64,
            /// Maximum number of rows in the reply.
            len: u64,
        }) -> Vec<RowPair>, |query| format!("editions?from={}&len={}", query.from, query.len);

        /// A request for the symbols of the matrix, if the texts are short enough.
        2 Matrix(MatrixQuery {}) -> MatrixSymbols, |_| "matrix?only=symbols".to_owned();

        /// A request for a dot plot: the positions at which the texts have a word (a run of symbols) in common.
        3 Dots(DotsQuery {
            /// The ranges of both texts to draw, with the resolution of the picture.
            frame: DotPlotFrame,
        }) -> DotPlot, |query| {
            let DotPlotFrame { from_a, to_a, from_b, to_b, width, height, word, inverted } = query.frame;
            let word = word.map(|word| format!("&word={word}")).unwrap_or_default();
            format!(
                "dots?from_a={from_a}&to_a={to_a}&from_b={from_b}&to_b={to_b}&width={width}&height={height}{word}&inverted={inverted}"
            )
        };

        /// A request for the points of columns of an alignment of `sequence-alignment`.
        4 Points(PointsQuery {
            /// First requested column, from 0.
            from: u64,
            /// Number of requested columns.
            len: u64,
        }) -> PointsWindow, |query| format!("points?from={}&len={}", query.from, query.len);

        /// A request for the sums of the points of an alignment of `sequence-alignment`.
        5 Sums(PointSumsQuery {}) -> PointsSummary, |_| "sums".to_owned();
    }
}
