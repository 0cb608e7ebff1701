"""What the environments promise to those who use them: PettingZoo's and Gymnasium's contracts, and our own."""
