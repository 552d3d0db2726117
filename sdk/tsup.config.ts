import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    webhooks: 'src/webhooks/index.ts',
    'webhooks/node': 'src/webhooks/node.ts',
    'webhooks/testing': 'src/webhooks/testing.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  // Shared chunks for CJS too: an error class must be one and the same in all entries, or instanceof fails.
  splitting: true,
  // By rollup, which writes the CJS chunks as they are. Without it sucrase does, whose classes are all called _class.
  treeshake: true,
  dts: true,
  clean: true,
  tsconfig: 'tsconfig.json',
})
