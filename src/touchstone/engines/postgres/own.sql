-- Gives everything in this database that is not the system's or an extension's to one role (the setting touchstone.owner),
-- so that whoever works as that role can alter and drop it, whoever owned it where it came from.
DO $touchstone$
DECLARE
    new_owner CONSTANT text := current_setting('touchstone.owner');
    command text;
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO %I', current_database(), new_owner);
    FOR command IN
        WITH schemas AS (
            SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
        ), objects AS (
            SELECT 1 AS place, 'pg_namespace'::regclass AS class, oid AS object FROM schemas
            UNION ALL
            SELECT 2, 'pg_class'::regclass, oid FROM pg_class AS relation
            WHERE relnamespace IN (SELECT oid FROM schemas) AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
                AND NOT (relkind = 'S' AND EXISTS (  -- the sequence of a column goes with its table
                    SELECT FROM pg_depend
                    WHERE classid = 'pg_class'::regclass AND objid = relation.oid
                        AND refclassid = 'pg_class'::regclass AND refobjsubid > 0 AND deptype IN ('a', 'i')))
            UNION ALL
            SELECT 3, 'pg_type'::regclass, pg_type.oid FROM pg_type LEFT JOIN pg_class AS row_of ON row_of.oid = typrelid
            WHERE typnamespace IN (SELECT oid FROM schemas) AND typtype IN ('b', 'c', 'd', 'e', 'r')
                AND typcategory <> 'A' AND (row_of.oid IS NULL OR row_of.relkind = 'c')
            UNION ALL
            SELECT 4, 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_opfamily'::regclass, oid FROM pg_opfamily WHERE opfnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 6, 'pg_opclass'::regclass, oid FROM pg_opclass WHERE opcnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_collation'::regclass, oid FROM pg_collation WHERE collnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_conversion'::regclass, oid FROM pg_conversion WHERE connamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_statistic_ext'::regclass, oid FROM pg_statistic_ext WHERE stxnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_ts_config'::regclass, oid FROM pg_ts_config WHERE cfgnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 5, 'pg_ts_dict'::regclass, oid FROM pg_ts_dict WHERE dictnamespace IN (SELECT oid FROM schemas)
            UNION ALL
            SELECT 7, 'pg_largeobject'::regclass, oid FROM pg_largeobject_metadata
        )
        SELECT format('ALTER %s %s OWNER TO %I',
            CASE class
                WHEN 'pg_proc'::regclass THEN 'ROUTINE'
                WHEN 'pg_class'::regclass THEN 'TABLE'  -- which takes views and sequences too
                ELSE replace(named.type, ' object', CASE class WHEN 'pg_largeobject'::regclass THEN ' object' ELSE '' END)
            END,
            CASE class
                WHEN 'pg_proc'::regclass THEN object::regprocedure::text
                WHEN 'pg_type'::regclass THEN object::regtype::text
                ELSE named.identity
            END,
            new_owner)
        FROM objects, pg_identify_object(class, object, 0) AS named
        WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = object AND deptype = 'e')
        ORDER BY place, object
    LOOP
        BEGIN
            EXECUTE command;
        EXCEPTION WHEN insufficient_privilege THEN
            IF command NOT ILIKE 'ALTER SCHEMA %' THEN  -- before version 15 public is a superuser's, and open to all
                RAISE;
            END IF;
        END;
    END LOOP;
    FOR command IN
        SELECT format('REVOKE CREATE ON SCHEMA %1$I FROM PUBLIC; GRANT ALL ON SCHEMA %1$I TO %2$I', nspname, new_owner)
        FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    LOOP
        EXECUTE command;
    END LOOP;
END
$touchstone$
