import { expect, it } from 'vitest'
import { ReplicaLag } from '@fulfillment/server/database/replica/replica-lag.ts'

it('the lag is unknown until the replica has replayed a sample', () => {
  const lag = new ReplicaLag()
  expect(lag.seconds(0)).toBeUndefined()
  lag.sampled(100, 1_000)
  expect(lag.seconds(5_000)).toBeUndefined()
  lag.replayed(99)
  expect(lag.seconds(5_000)).toBeUndefined()
})

it('the lag is the age of the newest sample that was replayed', () => {
  const lag = new ReplicaLag()
  lag.sampled(100, 1_000)
  lag.sampled(200, 2_000)
  lag.sampled(300, 3_000)
  lag.replayed(200)
  expect(lag.seconds(3_500)).toBe(1.5)
  lag.replayed(299)
  expect(lag.seconds(3_500)).toBe(1.5)
  lag.replayed(10_000)
  expect(lag.seconds(3_500)).toBe(0.5)
})

it('the lag grows while the replica stands still', () => {
  const lag = new ReplicaLag()
  lag.sampled(100, 1_000)
  lag.replayed(100)
  lag.sampled(200, 2_000)
  lag.replayed(100)
  expect([lag.seconds(2_000), lag.seconds(12_000)]).toEqual([1, 11])
})

it('an idle primary leaves no lag behind: its position is the same, its sample newer', () => {
  const lag = new ReplicaLag()
  for (let second = 1; second <= 300; second++) {
    lag.sampled(100, second * 1_000)
    lag.replayed(100)
  }
  expect(lag.seconds(300_000)).toBe(0)
})

it('a replica that was away for long is never taken for newer than it is', () => {
  const lag = new ReplicaLag()
  lag.sampled(0, 0)
  lag.replayed(0)
  // More samples than are kept: one a second, the primary at 10 a second.
  for (let second = 1; second <= 600; second++) lag.sampled(second * 10, second * 1_000)
  lag.replayed(500)
  expect(lag.seconds(600_000)).toBe(550)
  for (let second = 51; second <= 599; second++) {
    lag.replayed(second * 10)
    expect(lag.seconds(600_000)).toBeGreaterThanOrEqual(600 - second)
  }
  lag.replayed(6_000)
  expect(lag.seconds(600_000)).toBe(0)
})
