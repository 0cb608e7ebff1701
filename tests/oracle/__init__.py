"""An independent, slow implementation of the rules, used to check the fast one."""
