/**
 * The migrations of each release, with the SHA-256 of their files. A released migration never changes, because databases have already run
 * it. Add the migrations of a new release here.
 */
export const RELEASED = {
  '0.1.0': {
    '0001_initial': 'b0bfb4e6caecf786a5d21928e1f31d76236b88bd93c5e7a676a48c29642d279f',
    '0002_webhooks': '0b735944d95090a2b4b0fabc38b9246dd80799caa409ec895952aeb22bfaf860',
    '0003_picking': 'd48ea0e6a35d40804ccbe7f1e3f0ebc7f67e733f9e90fd3fef496ec09b9f8ca5',
    '0004_trust': 'f85639dd0fb7b135ef5aec30ada39da8715ed6a7c615fb22e8bab1f4db0ed490',
  },
} as const

/** All released migrations in order. */
export const RELEASED_MIGRATIONS: Record<string, string> = Object.assign({}, ...Object.values(RELEASED))
