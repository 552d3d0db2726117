export { count, countLine, listCountsInput } from './schemas.ts'
