"""Settings that every test shares."""

from hypothesis import settings

# A slow machine is no failure: no test here judges time.
settings.register_profile("repc", deadline=None)
settings.load_profile("repc")
