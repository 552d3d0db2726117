export { type Badge, parseBadge } from './badge.ts'
