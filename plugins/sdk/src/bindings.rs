//! Generated from `wit/`: everything else in this crate gives it names and words.
//!
//! Three worlds, one set of types. `imports` holds each interface that a plugin may call, whatever its role; what a plugin does
//! not call is left out of its component by the linker, so that its imports say what it uses and nothing more. `coder` and
//! `validator` add only what the role exports; their component-type sections are written by [`export!`](crate::export), in
//! the plugin's crate, for the one role that it exports.
//!
//! All unsafe code of this crate is in here: it lowers and lifts values at the component boundary, and
//! natively every import is a call of `unreachable!()`.
#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    clippy::pedantic,
    reason = "generated code: its style is not ours to choose"
)]

/// What a plugin may call.
pub mod imports {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package snodo:sdk;
            world imports {
                import snodo:plugin/types@0.1.0;
                import snodo:plugin/read@0.1.0;
                import snodo:plugin/search@0.1.0;
                import snodo:plugin/submit@0.1.0;
                import snodo:plugin/runner@0.1.0;
                import snodo:plugin/change@0.1.0;
                import snodo:plugin/completion@0.1.0;
            }
        ",
        world: "snodo:sdk/imports",
        generate_all,
        generate_unused_types: true,
        additional_derives: [PartialEq, Eq],
    });
}

/// What a coder exports.
pub mod coder {
    wit_bindgen::generate!({
        path: "wit",
        world: "snodo:plugin/coder",
        with: {
            "snodo:plugin/types@0.1.0": crate::bindings::imports::snodo::plugin::types,
            "snodo:plugin/read@0.1.0": crate::bindings::imports::snodo::plugin::read,
            "snodo:plugin/search@0.1.0": crate::bindings::imports::snodo::plugin::search,
            "snodo:plugin/submit@0.1.0": crate::bindings::imports::snodo::plugin::submit,
            "snodo:plugin/runner@0.1.0": crate::bindings::imports::snodo::plugin::runner,
        },
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_coder",
        default_bindings_module: "snodo_plugin::bindings::coder",
        generate_unused_types: true,
    });
}

/// What a validator exports.
pub mod validator {
    wit_bindgen::generate!({
        path: "wit",
        world: "snodo:plugin/validator",
        with: {
            "snodo:plugin/types@0.1.0": crate::bindings::imports::snodo::plugin::types,
            "snodo:plugin/read@0.1.0": crate::bindings::imports::snodo::plugin::read,
            "snodo:plugin/search@0.1.0": crate::bindings::imports::snodo::plugin::search,
            "snodo:plugin/change@0.1.0": crate::bindings::imports::snodo::plugin::change,
        },
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_validator",
        default_bindings_module: "snodo_plugin::bindings::validator",
        generate_unused_types: true,
    });
}
