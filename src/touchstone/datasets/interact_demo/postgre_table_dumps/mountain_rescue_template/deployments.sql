--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: deployments; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.deployments (
    mission_id integer NOT NULL,
    volunteer_id integer NOT NULL,
    role text NOT NULL,
    hours numeric(5,2)
);


ALTER TABLE public.deployments OWNER TO root;

--
-- Name: deployments; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.deployments (mission_id, volunteer_id, role, hours) FROM stdin;
1	13	lead	5.88
1	58	medic	13.60
2	5	lead	3.54
2	32	medic	10.37
3	87	lead	\N
4	16	lead	1.66
4	18	driver	4.96
4	133	rope	1.89
5	37	lead	2.24
5	117	rope	\N
5	127	search	2.30
6	6	lead	\N
6	49	search	7.23
6	110	medic	3.52
7	5	lead	8.47
7	63	rope	1.41
7	91	driver	5.38
8	75	lead	12.05
9	7	lead	1.69
9	65	driver	6.66
9	102	rope	5.69
10	14	lead	7.68
11	8	lead	3.50
11	136	medic	8.80
12	54	lead	5.59
12	77	medic	\N
13	96	lead	3.59
14	9	lead	1.01
14	54	search	2.35
15	18	lead	3.90
15	30	rope	6.26
15	60	search	14.12
16	35	lead	1.68
17	16	lead	11.88
18	4	lead	2.12
18	10	medic	7.58
18	44	medic	3.41
19	31	lead	1.00
19	47	driver	1.99
19	106	driver	1.42
20	19	lead	2.04
20	113	search	5.57
20	117	medic	5.29
21	1	lead	4.35
22	53	lead	8.01
23	31	lead	13.66
23	110	search	3.86
24	19	lead	2.90
24	55	driver	2.53
25	97	lead	6.88
26	2	lead	8.30
26	47	rope	5.54
27	37	lead	9.72
27	41	medic	4.33
27	67	medic	1.41
28	51	lead	8.50
28	56	medic	5.92
28	142	search	4.73
29	53	lead	\N
29	64	rope	11.49
29	84	rope	5.30
30	2	lead	\N
30	7	medic	1.67
30	104	rope	8.37
31	66	lead	1.74
31	74	search	9.96
31	94	driver	\N
32	4	lead	3.87
32	71	driver	1.67
33	99	lead	2.87
34	27	lead	9.52
34	130	search	3.46
35	37	lead	3.76
35	113	rope	1.71
36	14	lead	9.96
36	84	search	3.17
37	14	lead	4.33
38	117	lead	10.43
38	119	driver	10.65
39	69	lead	9.68
40	30	lead	3.20
40	75	driver	\N
40	93	driver	1.56
41	11	lead	3.77
41	14	rope	4.77
42	3	lead	6.29
42	4	medic	\N
42	21	search	3.48
43	3	lead	8.72
43	40	rope	2.13
43	45	driver	6.22
44	40	lead	8.15
44	55	rope	\N
45	104	lead	2.14
46	59	lead	3.37
47	6	lead	1.46
47	59	medic	6.69
47	100	driver	2.35
48	5	lead	10.13
48	116	search	3.09
49	3	lead	5.84
49	22	driver	6.62
49	58	rope	5.48
50	4	lead	10.15
50	9	driver	8.51
50	37	driver	4.68
51	40	lead	2.48
51	47	driver	\N
51	82	search	4.03
52	44	lead	4.16
53	82	lead	8.94
54	49	lead	2.54
55	47	lead	7.48
56	11	lead	1.33
56	15	driver	2.46
56	130	search	\N
57	17	lead	10.89
57	48	medic	2.47
57	52	search	7.06
58	49	lead	5.43
58	82	medic	4.07
59	74	lead	9.82
60	122	lead	3.17
61	41	lead	4.76
61	47	search	3.53
62	5	lead	2.89
62	6	driver	2.13
62	90	search	7.15
63	32	lead	1.30
63	56	rope	4.51
63	154	medic	4.67
64	124	lead	11.28
64	153	medic	10.11
65	50	lead	1.80
65	104	driver	5.56
66	4	lead	10.84
66	108	rope	3.32
67	21	lead	2.54
67	44	search	9.15
67	132	rope	10.86
68	12	lead	6.32
68	61	medic	2.52
69	65	lead	7.49
70	16	lead	8.81
70	57	rope	10.95
70	64	driver	4.58
71	13	lead	4.91
72	58	lead	2.71
73	66	lead	9.51
74	60	lead	3.34
74	92	rope	2.63
74	118	search	\N
75	61	lead	7.44
75	91	medic	1.85
76	2	lead	7.38
76	108	rope	4.74
77	41	lead	4.45
77	104	driver	10.69
77	105	medic	10.97
78	10	lead	4.74
78	33	search	7.41
79	3	lead	4.80
79	6	driver	2.49
80	27	lead	1.50
80	102	medic	5.32
81	27	lead	4.41
81	32	medic	3.19
82	6	lead	4.95
82	17	search	7.79
83	6	lead	4.21
83	49	medic	1.26
83	51	medic	6.43
84	37	lead	5.77
84	62	driver	\N
84	64	rope	5.99
85	6	lead	8.65
85	127	search	5.02
86	49	lead	3.45
86	71	search	2.25
87	5	lead	\N
87	41	medic	10.03
87	98	medic	8.87
88	10	lead	2.72
88	15	search	8.31
88	71	medic	1.26
89	8	lead	5.56
89	19	medic	3.82
89	69	driver	\N
90	11	lead	7.72
90	30	search	7.46
90	48	driver	5.22
91	29	lead	2.36
91	90	search	1.51
92	93	lead	15.39
93	37	lead	12.21
93	40	medic	2.75
93	59	rope	2.97
94	22	lead	\N
94	45	medic	11.50
94	146	driver	6.23
95	15	lead	5.91
95	57	driver	4.44
96	8	lead	\N
96	12	rope	4.16
96	79	driver	8.50
97	110	lead	7.94
98	29	lead	1.09
99	5	lead	1.76
99	53	rope	9.87
99	73	search	9.95
100	40	lead	\N
100	51	driver	1.10
100	121	search	4.31
101	14	lead	3.71
101	16	rope	6.15
101	85	driver	8.23
102	2	lead	1.56
102	9	search	1.21
102	40	driver	2.24
103	4	lead	1.87
103	82	medic	1.67
103	108	driver	2.61
104	12	lead	3.24
104	45	search	3.09
105	11	lead	7.62
105	16	rope	1.10
105	31	medic	2.12
106	19	lead	1.93
106	98	driver	7.48
107	31	lead	9.78
107	44	search	11.63
108	32	lead	1.79
108	33	medic	11.71
109	8	lead	1.18
109	126	search	8.08
110	55	lead	10.36
111	59	lead	1.42
112	76	lead	3.46
113	85	lead	4.02
113	95	medic	3.22
114	6	lead	2.04
114	14	rope	8.70
114	15	driver	9.74
115	59	lead	2.01
116	45	lead	12.79
116	142	search	\N
117	9	lead	\N
117	80	driver	8.48
118	60	lead	4.82
118	94	search	1.76
119	13	lead	11.49
119	78	search	10.22
120	7	lead	3.41
120	53	medic	7.39
120	58	search	4.55
121	55	lead	2.80
121	85	medic	3.16
122	59	lead	1.36
122	72	driver	7.10
122	75	driver	2.80
123	117	lead	4.77
124	3	lead	2.01
124	9	medic	13.01
124	46	search	9.49
125	77	lead	4.28
125	93	search	8.40
126	5	lead	1.93
126	11	medic	\N
126	16	rope	\N
127	101	lead	14.62
128	78	lead	10.35
129	17	lead	4.03
129	21	driver	2.32
129	90	medic	4.77
130	55	lead	\N
131	126	lead	2.04
132	33	lead	1.33
132	60	rope	6.29
132	132	medic	9.86
133	52	lead	2.74
133	71	rope	3.88
133	111	search	8.53
134	142	lead	\N
135	42	lead	2.33
136	4	lead	2.31
136	10	search	5.62
136	13	medic	3.57
137	19	lead	\N
137	84	medic	1.12
138	30	lead	2.44
139	55	lead	1.27
140	150	lead	4.45
141	1	lead	7.14
141	44	medic	9.97
141	118	search	7.52
142	33	lead	3.27
142	56	rope	10.69
143	35	lead	1.49
143	123	search	4.17
144	11	lead	2.85
144	150	driver	2.21
145	13	lead	1.75
145	91	driver	6.02
146	77	lead	5.40
147	19	lead	\N
148	31	lead	\N
149	3	lead	3.94
149	8	driver	8.14
149	51	search	5.89
150	33	lead	\N
151	4	lead	\N
151	8	driver	1.12
152	43	lead	\N
152	49	rope	10.97
152	67	driver	4.87
153	56	lead	3.50
154	5	lead	3.45
154	48	medic	6.60
154	56	medic	2.37
155	12	lead	10.40
155	37	driver	2.87
156	35	lead	6.14
156	77	medic	1.63
156	80	search	1.67
157	5	lead	8.78
157	69	rope	4.97
158	30	lead	5.52
158	66	medic	9.65
159	42	lead	\N
160	8	lead	11.00
160	29	rope	2.95
161	32	lead	8.99
162	14	lead	4.74
163	48	lead	13.26
164	17	lead	6.36
164	30	rope	8.05
164	123	medic	2.75
165	52	lead	3.99
166	22	lead	5.19
166	47	driver	5.13
166	94	medic	5.21
167	31	lead	5.74
167	95	medic	9.56
167	112	rope	5.02
168	65	lead	8.54
168	97	driver	6.92
169	73	lead	3.46
170	1	lead	7.44
171	5	lead	4.11
171	54	rope	7.07
171	115	search	8.37
172	21	lead	3.64
172	62	medic	5.81
173	123	lead	11.06
173	128	search	3.40
173	129	search	10.72
174	11	lead	6.60
174	128	medic	8.39
175	63	lead	2.91
176	42	lead	15.22
177	59	lead	9.55
177	62	search	3.67
177	69	search	4.29
178	3	lead	9.99
178	7	driver	6.99
178	96	search	5.27
179	17	lead	1.33
180	69	lead	10.10
181	13	lead	2.75
181	22	driver	3.92
181	78	rope	9.52
182	42	lead	8.67
183	12	lead	3.80
183	47	rope	2.70
184	29	lead	2.87
185	60	lead	13.85
186	65	lead	\N
186	81	driver	\N
187	29	lead	9.03
187	99	driver	10.28
188	14	lead	8.42
189	39	lead	9.18
189	59	driver	3.40
189	64	driver	3.62
190	62	lead	1.40
191	53	lead	1.37
192	32	lead	\N
192	39	search	3.85
193	50	lead	2.38
193	120	medic	6.23
194	13	lead	3.34
194	66	search	5.16
194	84	search	3.75
195	16	lead	1.75
195	43	medic	10.92
196	12	lead	6.92
196	66	search	8.89
196	81	driver	6.79
197	47	lead	4.82
197	66	medic	3.87
197	144	rope	4.55
198	12	lead	\N
198	35	driver	5.90
198	103	rope	2.10
\.


--
-- Name: deployments deployments_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (mission_id, volunteer_id);


--
-- Name: deployments deployments_mission_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_mission_id_fkey FOREIGN KEY (mission_id) REFERENCES public.missions(mission_id);


--
-- Name: deployments deployments_volunteer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_volunteer_id_fkey FOREIGN KEY (volunteer_id) REFERENCES public.volunteers(volunteer_id);


--
-- PostgreSQL database dump complete
--
