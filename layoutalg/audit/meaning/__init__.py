"""What a kernel computes: the words that it stores beside what equations of its launch say."""
