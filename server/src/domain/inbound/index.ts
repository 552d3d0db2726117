export { inbound, inboundLine, listInboundInput } from './schemas.ts'
