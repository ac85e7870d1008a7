"""From files to the index: walk, plan, analyse, write, link."""
