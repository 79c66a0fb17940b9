"""The ladders, in the order of docs/ladders.md."""

import bandwidth
import bodies
import bounds
import primitives
import products

LADDERS = (bandwidth.Reduction(), bandwidth.Transpose(),
           bandwidth.FermiTranspose(), bandwidth.KeplerTranspose(),
           bandwidth.Stream(), bounds.Fermi(), bounds.Kepler(),
           bodies.Unrolled(), bodies.Bodies(), products.Boehm(), products.Hopper(),
           primitives.Cub())
