import * as http from 'node:http'
import process from 'node:process'
import * as sdk from '@fulfillment/sdk'
import * as webhooks from '@fulfillment/sdk/webhooks'
import * as node from '@fulfillment/sdk/webhooks/node'
import * as testing from '@fulfillment/sdk/webhooks/testing'
import { delivery, story } from './story.js'

const service = JSON.parse(process.env.SMOKE)
await story({ sdk, webhooks, testing }, service)
await delivery({ sdk, node, http }, service)
