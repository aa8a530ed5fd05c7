//! The declaration of a room's state.

/// Declares a room: its state behind one `Arc`, so that a room is cheap to clone, and a function that returns each part
/// of it. A room holds the earlier rooms that it uses, and can be used as `Base`: `room.db()`, `room.now()`.
macro_rules! room {
    ($(#[$doc:meta])* $room:ident($state:ident) { $($(#[$about:meta])* $visibility:vis $name:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $room(std::sync::Arc<$state>);

        #[derive(Debug)]
        struct $state {
            base: $crate::base::Base,
            $($name: $type,)*
        }

        impl $room {
            $($(#[$about])* $visibility fn $name(&self) -> &$type {
                &self.0.$name
            })*
        }

        impl std::ops::Deref for $room {
            type Target = $crate::base::Base;

            fn deref(&self) -> &Self::Target {
                &self.0.base
            }
        }
    };
}

pub(crate) use room;
