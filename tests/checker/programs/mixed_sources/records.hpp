#pragma once

/// The sum of the counts of n records, and what the driver says of the devices.
int sum_of_counts(int n);
int widest_texture();
int number_of_devices();
