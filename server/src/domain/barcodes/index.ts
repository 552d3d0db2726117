export { resolveCodes } from './resolve-codes.ts'
