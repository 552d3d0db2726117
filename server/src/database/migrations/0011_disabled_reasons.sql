-- The values in the API's schema. Not validated for old rows, which have no others, so that no scan of the table blocks writes.
alter table webhook_subscriptions add constraint webhook_subscriptions_disabled_reason
  check (disabled_reason in ('gone', 'failing', 'paused', 'moved')) not valid;
