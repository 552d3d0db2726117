export { listReturnsInput, returnLine, returnRecord } from './schemas.ts'
