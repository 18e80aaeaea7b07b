"""What the formats share that read and write whole documents: names, times, faults and losses."""
