"""Games through other people's training libraries; each test needs one, and skips without it."""
