//! Arrays of ids and hashes as parameters of statements.

use sqlx::postgres::{PgHasArrayType, PgTypeInfo};

use crate::id::Id;
use crate::storage::ports::hash::ContentHash;

impl PgHasArrayType for ContentHash {
    fn array_type_info() -> PgTypeInfo {
        <Vec<u8> as PgHasArrayType>::array_type_info()
    }
}

impl PgHasArrayType for Id {
    fn array_type_info() -> PgTypeInfo {
        <String as PgHasArrayType>::array_type_info()
    }
}
