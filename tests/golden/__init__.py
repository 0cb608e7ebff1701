"""Golden numbers: how many legal action sequences there are, and what happens along them."""
