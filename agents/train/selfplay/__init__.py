"""Self-play with MaskablePPO, for `ppo_sb3.py`: where games are played, what is learnt from, what is kept."""
