"""What one may have done to the database of the rescue service."""

from demo_interact.model import FollowUp, Hidden, Task, Vague
from demo_interact.mountain_rescue.hidden_tests import CLASS_TEST, COLUMN_TEST, LEADERS_TEST, LOAD_TEST, PROMOTED_TEST

MANAGEMENT = (
    Task(
        ambiguous="Make me a view base_load that shows how busy every base is: base_name, genuine_missions, active_volunteers "
        "and load_index.",
        clear="Create a view base_load with one row for every base: base_name, genuine_missions (missions other than false "
        "alarms), active_volunteers (not left, not trainees) and load_index, the first divided by the second, NULL where a "
        "base has no active volunteers. Bases without missions or volunteers show 0.",
        sql="""
            CREATE VIEW base_load AS
            SELECT b.base_name,
                   COALESCE(m.missions, 0) AS genuine_missions,
                   COALESCE(v.volunteers, 0) AS active_volunteers,
                   COALESCE(m.missions, 0)::numeric / NULLIF(COALESCE(v.volunteers, 0), 0) AS load_index
            FROM bases AS b
            LEFT JOIN (
                SELECT base_id, COUNT(*) AS missions FROM missions WHERE kind <> 'false alarm' GROUP BY base_id
            ) AS m ON m.base_id = b.base_id
            LEFT JOIN (
                SELECT base_id, COUNT(*) AS volunteers FROM volunteers
                WHERE left_on IS NULL AND grade <> 'trainee' GROUP BY base_id
            ) AS v ON v.base_id = b.base_id
        """,
        knowledge=("Load Index (LI)", "Genuine Mission", "Active Volunteer"),
        critical=(
            Vague(
                "knowledge_linking",
                "how busy",
                "COALESCE(m.missions, 0)::numeric / NULLIF(COALESCE(v.volunteers, 0), 0) AS load_index",
            ),
            Vague("semantic", "active_volunteers", "left_on IS NULL AND grade <> 'trainee'"),
        ),
        minor=(
            Vague("divide_zero", "load_index", "NULLIF(COALESCE(v.volunteers, 0), 0)", mask=False),
            Vague("join", "every base", "FROM bases AS b LEFT JOIN", mask=False),
        ),
        hidden=(
            Hidden("Load Index (LI)", "COALESCE(m.missions, 0)::numeric / NULLIF(COALESCE(v.volunteers, 0), 0) AS load_index"),
            Hidden("Active Volunteer", "left_on IS NULL AND grade <> 'trainee'"),
        ),
        tests=(LOAD_TEST,),
        high_level=True,
        follow_up=FollowUp(
            "result_based",
            "From that view, which five bases have the highest load_index? Name and index, highest first, equal ones by name.",
            """
            SELECT base_name, load_index
            FROM base_load
            WHERE load_index IS NOT NULL
            ORDER BY load_index DESC, base_name
            LIMIT 5
            """,
            ("Load Index (LI)",),
            order=True,
        ),
    ),
    Task(
        ambiguous="Promote the trainees who have earned it.",
        clear="Set the grade to 'rescuer' for every trainee who has not left, joined at least two years (of 365.25 days) "
        "before 2025-04-30, and has at least 12 hours on missions other than false alarms; hours not written down count as 0.",
        sql="""
            UPDATE volunteers AS v SET grade = 'rescuer'
            WHERE v.grade = 'trainee'
              AND v.left_on IS NULL
              AND (DATE '2025-04-30' - v.joined_on) / 365.25 >= 2
              AND 12 <= (
                SELECT COALESCE(SUM(d.hours), 0)
                FROM deployments AS d
                JOIN missions AS m ON m.mission_id = d.mission_id
                WHERE d.volunteer_id = v.volunteer_id AND m.kind <> 'false alarm')
        """,
        knowledge=("Promotion Rule", "Years of Service (YS)", "Closing Day", "Genuine Mission"),
        critical=(
            Vague("knowledge_linking", "earned it", "12 <= ( SELECT COALESCE(SUM(d.hours), 0)"),
            Vague("semantic", "the trainees", "v.grade = 'trainee' AND v.left_on IS NULL"),
        ),
        minor=(Vague("null", "earned it", "COALESCE(SUM(d.hours), 0)", mask=False),),
        hidden=(Hidden("Promotion Rule", "(DATE '2025-04-30' - v.joined_on) / 365.25 >= 2 AND 12 <= ("),),
        tests=(PROMOTED_TEST,),
        # Three people who come only for the test: one has left, one was out for a false alarm only, one has earned it.
        before=(
            """
            INSERT INTO volunteers (volunteer_id, base_id, full_name, grade, joined_on, left_on) VALUES
                (9001, 1, 'Test, Left', 'trainee', '2015-01-01', '2024-01-01'),
                (9002, 1, 'Test, Fooled', 'trainee', '2015-01-01', NULL),
                (9003, 1, 'Test, Ready', 'trainee', '2015-01-01', NULL)
            """,
            """
            INSERT INTO missions (mission_id, base_id, alerted_at, kind, report) VALUES
                (9001, 1, '2023-12-01 08:00', 'fall', '{"helicopter": false}'),
                (9002, 1, '2023-12-02 08:00', 'false alarm', '{"helicopter": false}')
            """,
            """
            INSERT INTO deployments (mission_id, volunteer_id, role, hours) VALUES
                (9001, 9001, 'search', 90), (9002, 9002, 'search', 90), (9001, 9003, 'search', 90)
            """,
        ),
        after=(
            "DELETE FROM deployments WHERE mission_id >= 9000",
            "DELETE FROM missions WHERE mission_id >= 9000",
            "DELETE FROM volunteers WHERE volunteer_id >= 9000",
        ),
        high_level=True,
        follow_up=FollowUp(
            "constraint_change",
            "And now the next step up: every rescuer who has not left and has at least 28 hours on missions other than false "
            "alarms becomes a leader, however long they have been with us.",
            """
            UPDATE volunteers AS v SET grade = 'leader'
            WHERE v.grade = 'rescuer'
              AND v.left_on IS NULL
              AND 28 <= (
                SELECT COALESCE(SUM(d.hours), 0)
                FROM deployments AS d
                JOIN missions AS m ON m.mission_id = d.mission_id
                WHERE d.volunteer_id = v.volunteer_id AND m.kind <> 'false alarm')
            """,
            ("Genuine Mission",),
            tests=(LEADERS_TEST,),
        ),
    ),
    Task(
        ambiguous="Write a function response_class that takes a mission_id and says in a word how fast we were.",
        clear="Create a function response_class(integer) that returns text for the mission with this id: 'unreached' when the "
        "team never got there; else by the minutes from alarm to reaching the place 'swift' up to 30, 'on time' up to 60, "
        "'slow' beyond; NULL when there is no such mission.",
        sql="""
            CREATE FUNCTION response_class(wanted integer) RETURNS text AS $$
            DECLARE
                mission missions%ROWTYPE;
                minutes numeric;
            BEGIN
                SELECT * INTO mission FROM missions WHERE mission_id = wanted;
                IF NOT FOUND THEN
                    RETURN NULL;
                END IF;
                minutes := EXTRACT(EPOCH FROM mission.reached_at - mission.alerted_at) / 60;
                RETURN CASE WHEN mission.reached_at IS NULL THEN 'unreached'
                    WHEN minutes <= 30 THEN 'swift' WHEN minutes <= 60 THEN 'on time' ELSE 'slow' END;
            END;
            $$ LANGUAGE plpgsql STABLE
        """,
        knowledge=("Response Class", "Response Time (RT)"),
        critical=(
            Vague("knowledge_linking", "how fast we were", "WHEN minutes <= 30 THEN 'swift' WHEN minutes <= 60 THEN 'on time'"),
            Vague("intent", "says in a word", "CASE WHEN mission.reached_at IS NULL THEN 'unreached'"),
        ),
        minor=(Vague("null", "takes a mission_id", "IF NOT FOUND THEN RETURN NULL; END IF;", mask=False),),
        hidden=(Hidden("Response Class", "WHEN minutes <= 30 THEN 'swift' WHEN minutes <= 60 THEN 'on time' ELSE 'slow' END"),),
        tests=(CLASS_TEST,),
        follow_up=FollowUp(
            "attribute_change",
            "Keep the class with the mission: add a text column speed to missions, fill it for every mission with what the "
            "function says, and see to it that it can never hold anything but the four classes (or NULL).",
            """
            ALTER TABLE missions ADD COLUMN speed text;
            UPDATE missions SET speed = response_class(mission_id);
            ALTER TABLE missions ADD CONSTRAINT missions_speed_known
                CHECK (speed IN ('swift', 'on time', 'slow', 'unreached'))
            """,
            ("Response Class", "Response Time (RT)"),
            tests=(COLUMN_TEST,),
        ),
    ),
)
