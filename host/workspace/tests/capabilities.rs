//! What a capability can do is its type: programs that ask for more do not compile.

#[test]
fn a_capability_is_its_type() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/capabilities/a_coder_reads_and_submits.rs");
    cases.compile_fail("tests/capabilities/a_judge_has_no_submit.rs");
    cases.compile_fail("tests/capabilities/a_read_does_not_write.rs");
    cases.compile_fail("tests/capabilities/a_search_does_not_write.rs");
    cases.compile_fail("tests/capabilities/a_view_does_not_submit.rs");
    cases.compile_fail("tests/capabilities/a_path_has_one_constructor.rs");
    cases.compile_fail("tests/capabilities/a_root_is_opened_in_one_place.rs");
    cases.compile_fail("tests/capabilities/limits_have_no_default.rs");
}
