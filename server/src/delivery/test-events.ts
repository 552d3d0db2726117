/** The beginning of a test event's id. It sorts after the ids of all other events. */
export const TEST_EVENT_PREFIX = 'evt_test_'

/** SQL for whether an id is that of a test event. */
export const isTestEvent = (id: string): string => `starts_with(${id}, '${TEST_EVENT_PREFIX}')`
