"""Effects that items share: what is asked of a host from outside an item, and how the answer is judged."""
