import { openDatabase, type Database } from '../database/database.ts'

/** Exclusive connections that all shards but the directory share. A shard has at most the directory's, and at least what one tenant needs. */
const SHARED_CONNECTIONS = 44
const MOST = 22
const LEAST = 8

/** Opens the database of a shard that is one of `count` besides the directory. */
export function openShard(url: string, count: number, onConnectionError: (error: Error) => void): Database {
  const exclusiveConnections = Math.min(MOST, Math.max(LEAST, Math.floor(SHARED_CONNECTIONS / count)))
  return openDatabase(url, { exclusiveConnections, onConnectionError })
}
