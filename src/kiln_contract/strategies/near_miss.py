def near_miss(x):0
near_misses=near_miss
NearMiss=0
