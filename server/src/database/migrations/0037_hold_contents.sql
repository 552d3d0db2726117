-- SHA-256 of what the first call sent, whatever its names mean now. Null for holds of processes that do not write it.
alter table holds add column sent_hash bytea;
