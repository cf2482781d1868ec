use std::sync::Arc;

use snodo_workspace::capability::Submit;
use snodo_workspace::view::View;

fn submit(view: View) -> Arc<dyn Submit> {
    Arc::new(view)
}

fn main() {
    let _ = submit;
}
