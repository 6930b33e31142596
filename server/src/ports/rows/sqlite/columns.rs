//! Ids and hashes as columns: ids are text, as people see them, and hashes are their bytes.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Sqlite, Type};

use crate::id::Id;
use crate::ports::files::Hash;

impl Type<Sqlite> for Hash {
    fn type_info() -> SqliteTypeInfo {
        <Vec<u8> as Type<Sqlite>>::type_info()
    }
}

impl<'a> Encode<'a, Sqlite> for Hash {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <Vec<u8> as Encode<'a, Sqlite>>::encode(self.as_bytes().to_vec(), arguments)
    }
}

impl<'a> Decode<'a, Sqlite> for Hash {
    fn decode(value: SqliteValueRef<'a>) -> Result<Self, BoxDynError> {
        let bytes = <Vec<u8> as Decode<'a, Sqlite>>::decode(value)?;
        Ok(blake3::Hash::from_slice(&bytes)?.into())
    }
}

impl Type<Sqlite> for Id {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
}

impl<'a> Encode<'a, Sqlite> for Id {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<'a, Sqlite>>::encode(self.to_string(), arguments)
    }
}

impl<'a> Decode<'a, Sqlite> for Id {
    fn decode(value: SqliteValueRef<'a>) -> Result<Self, BoxDynError> {
        Ok(<String as Decode<'a, Sqlite>>::decode(value)?.parse()?)
    }
}
